/** What routes share when they describe themselves: path parameters, lists, and the problems they may answer with. */
import { z } from '@hono/zod-openapi';
import { problemSchema } from '@trawl/contracts';
import { isStorable } from './json-body.ts';
import { PROBLEM_TYPE } from './problem.ts';

/** Ids are opaque, so one that can't exist is simply not found: nothing is checked here. */
export const runParams = z.object({
  id: z.string().openapi({ param: { name: 'id', in: 'path' }, example: 'run_0123456789abcdefghjk' }),
});

export const sourceParams = z.object({
  id: z.string().openapi({ param: { name: 'id', in: 'path' }, example: 'src_0123456789abcdefghjk' }),
});

/** `limit` of a list. Digits only: `Number` would take "1e2", " 5 " and "0x10" as well. */
export const limitParam = (o: { most: number; usually: number }) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from 1 to ${o.most}`)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= o.most, `must be a whole number from 1 to ${o.most}`)
    .default(o.usually)
    .openapi({ type: 'integer', minimum: 1, maximum: o.most, default: o.usually });

export const cursorParam = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .openapi({ description: 'nextCursor of the last page' });

export const searchParam = z
  .string()
  .max(500)
  .refine(isStorable, 'holds a NUL or half of a surrogate pair')
  .optional()
  .openapi({ description: 'Part of the URL or the title; case does not matter' });

const problemContent = { [PROBLEM_TYPE]: { schema: problemSchema } };

export const badRequest = { 400: { description: 'The request is not valid', content: problemContent } };
export const notFound = { 404: { description: 'There is no such thing', content: problemContent } };
export const inProgress = { 409: { description: 'A run of the source is not finished', content: problemContent } };
export const conflict = { 409: { description: 'The status does not allow this', content: problemContent } };
/** Any request may meet these. */
export const anyTime = {
  401: { description: 'An API key is needed', content: problemContent },
  503: {
    description: 'Redis or Postgres does not answer; Retry-After says when to come back',
    content: problemContent,
  },
};
export const badBody = {
  ...badRequest,
  413: { description: 'The body is too large', content: problemContent },
  415: { description: 'The body is not JSON', content: problemContent },
};
export const keyReused = {
  422: { description: 'The Idempotency-Key was used with another body', content: problemContent },
};

export const json = <T extends z.ZodType>(description: string, schema: T) => ({
  description,
  content: { 'application/json': { schema } },
});

export const png = {
  description: 'A PNG',
  content: { 'image/png': { schema: z.string().openapi({ format: 'binary' }) } },
};
