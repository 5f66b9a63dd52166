/** What is checked of a source beyond its schema: its schedule by the queue's own reader, its start URLs by the address guard. */
import { completeRunConfig, createRunSchema, type RunConfig, type RunInput } from '@trawl/contracts';
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

export const startUrlsOf = (input: RunInput, settings: Pick<ApiSettings, 'userAgent'>): readonly string[] =>
  completed(input, settings).urls;

const completed = (input: RunInput, { userAgent }: Pick<ApiSettings, 'userAgent'>): RunConfig =>
  completeRunConfig(createRunSchema.parse(input), { userAgent });

function privateUrls(input: RunInput, settings: ApiSettings): InputError[] {
  return privateStartUrls(completed(input, settings), input).map(({ path, message }) => ({
    path: `config.${path}`,
    message,
  }));
}
