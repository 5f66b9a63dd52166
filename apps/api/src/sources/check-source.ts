/** What is checked of a source beyond its schema: its schedule by the queue's own reader, its start URLs by the address guard. */
import { completeRunConfig, createRunSchema, type RunInput } from '@trawl/contracts';
import type { InputError } from '../bad-input.ts';
import type { ApiSettings } from '../deps.ts';
import { privateStartUrls } from '../runs/begin-run.ts';
import { scheduleProblem } from './schedule.ts';

export function sourceErrors(
  source: { readonly schedule?: string | null | undefined; readonly config?: RunInput | undefined },
  settings: ApiSettings,
): InputError[] {
  const { schedule, config } = source;
  const problem = schedule == null ? null : scheduleProblem(schedule);
  return [
    ...(config === undefined || settings.allowPrivateNetworks ? [] : privateUrls(config, settings)),
    ...(problem === null ? [] : [{ path: 'schedule', message: problem }]),
  ];
}

function privateUrls(input: RunInput, settings: ApiSettings): InputError[] {
  const config = completeRunConfig(createRunSchema.parse(input), { userAgent: settings.userAgent });
  return privateStartUrls(config, input).map(({ path, message }) => ({ path: `config.${path}`, message }));
}
