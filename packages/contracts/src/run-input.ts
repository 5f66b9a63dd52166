/**
 * A run's options as a person gives them: what a source keeps, and what is laid over that for one run. Kept as given, without
 * defaults, so that a later version's defaults apply to it. What each option is and when it is valid, `run-config.ts` says.
 */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type CreateRunInput, completeRunConfig, createRunSchema, type RunConfig } from './run-config.ts';

/** The body of `POST /v1/runs` but for the source and what is kept with it. */
export type RunInput = Omit<CreateRunInput, 'sourceId' | 'access'>;

const { sourceId: _sourceId, access: _access, ...given } = createRunSchema.shape;
/** Every option, none of them required and none filled in. */
const runInputFields = eachWithoutDefaults(given);

/** Gives back what it was given: a check by the whole schema of a run, whose output is thrown away. */
export const runInputSchema = z
  .strictObject(runInputFields)
  .superRefine((value, ctx) => {
    const checked = createRunSchema.safeParse(value);
    for (const { path, message } of checked.error?.issues ?? []) ctx.addIssue({ code: 'custom', path, message });
  })
  // The fields' types are lost where defaults are taken out; they are those of the schema it is made of.
  .meta({ id: 'RunInput' }) as unknown as z.ZodType<RunInput>;

export type RunOverrides = RunInput & { overlap?: boolean };

/** Each option by itself; whether they go together is known only when they are laid over a source's. */
export const runOverridesSchema = z
  .strictObject({
    ...runInputFields,
    overlap: z.boolean().optional().meta({ description: 'Start even if a run of the source is not finished' }),
  })
  .meta({ id: 'RunOverrides' }) as unknown as z.ZodType<RunOverrides>;

/** Three ways to say where to start: whoever gives one does not want the source's other one as well. */
const START_FIELDS = ['url', 'urls', 'sites'] as const;
const NESTED_FIELDS = ['normalize', 'guards', 'output', 'backoff', 'viewport'] as const;

/** Field by field; of the fields that are objects, one level deeper. The result is still to be checked. */
export function overlayRunInput(base: RunInput, over: RunInput): RunInput {
  const kept = START_FIELDS.some((name) => over[name] !== undefined) ? without(base, START_FIELDS) : base;
  const nested = NESTED_FIELDS.filter((name) => kept[name] !== undefined && over[name] !== undefined);
  return {
    ...kept,
    ...over,
    ...Object.fromEntries(nested.map((name) => [name, { ...kept[name], ...over[name] }])),
  };
}

/** What other options decide where it is not given. */
const DERIVED_FIELDS = [
  'maxUrls',
  'sitemapCacheHours',
  'maxParallelPerHost',
  'defaultCrawlDelay',
  'maxRetries',
  'maxRetryBackoffSeconds',
  'backoff',
] as const;

/**
 * The input that a run's complete configuration could have come from. What follows from other options is left out: laid
 * over with another `policy` or `maxPages`, it must follow from those.
 */
export function runConfigAsInput(config: RunConfig): RunInput {
  const { urls, sites, extractor: _extractor, ...options } = config;
  const start = sites.length > 0 ? { sites } : { urls };
  const bare = { ...without(options, DERIVED_FIELDS), ...start };
  const derived = completeRunConfig(bare, { userAgent: config.userAgent });
  const chosen = DERIVED_FIELDS.filter((name) => !isDeepStrictEqual(derived[name], config[name]));
  return { ...bare, ...Object.fromEntries(chosen.map((name) => [name, config[name]])) };
}

function without<T extends object, K extends string>(all: T, names: readonly K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !names.some((n) => n === name))) as Omit<T, K>;
}

function eachWithoutDefaults(shape: Readonly<Record<string, z.core.$ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, withoutDefaults(schema)]));
}

/** The same schema, all the way down, with what has a default made optional. Checks of whole objects go; see above. */
function withoutDefaults(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return withoutDefaults(schema.unwrap()).optional();
  if (schema instanceof z.ZodObject) return z.strictObject(eachWithoutDefaults(schema.shape));
  return schema as z.ZodType;
}
