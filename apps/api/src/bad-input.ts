/** Turns Zod's issues into the problem a client reads. Does not validate: the route's schemas do. */
import type { Hook } from '@hono/zod-openapi';
import type { Env } from 'hono';
import type { z } from 'zod';
import { problem } from './problem.ts';

/** 10,000 bad start URLs would otherwise be 10,000 lines nobody reads. */
const MOST_ERRORS = 100;

/** The hook of every route: without one, Zod's own error object would be the answer. */
export const answerBadInput: Hook<unknown, Env, string, Response | undefined> = (result, c) => {
  if (result.success) return undefined;
  const errors = inputErrors(result.error.issues);
  const first = errors[0];
  const where = result.target === 'json' ? 'body' : result.target;
  const detail = first ? `The ${where} is not valid: ${sentence(first)}` : `The ${where} is not valid.`;
  return problem(c, 'BAD_REQUEST', detail, { errors });
};

function inputErrors(issues: readonly z.core.$ZodIssue[]): { path: string; message: string }[] {
  return issues
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: 'is not a known field' }));
      return [{ path: dotted(issue.path), message: issue.message }];
    })
    .slice(0, MOST_ERRORS);
}

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const sentence = (error: { path: string; message: string }): string =>
  error.path === '' ? error.message : `${error.path}: ${error.message}`;
