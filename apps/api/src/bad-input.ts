/** Turns Zod's issues into the problem a client reads. Does not validate: the route's schemas do. */
import type { Hook } from '@hono/zod-openapi';
import type { Context, Env } from 'hono';
import type { z } from 'zod';
import { problem } from './problem.ts';

/** 10,000 bad start URLs would otherwise be 10,000 lines nobody reads. */
const MOST_ERRORS = 100;

/** The hook of every route: without one, Zod's own error object would be the answer. */
export const answerBadInput: Hook<unknown, Env, string, Response | undefined> = (result, c) => {
  if (result.success) return undefined;
  return badInput(c, result.target === 'json' ? 'body' : result.target, inputErrors(result.error.issues));
};

export interface InputError {
  readonly path: string;
  readonly message: string;
}

/** The same answer for what a handler finds wrong. `where` is a word for the part of the request. */
export function badInput(c: Context, where: string, errors: readonly InputError[]) {
  const [first] = errors;
  const detail = first ? `The ${where} is not valid: ${sentence(first)}` : `The ${where} is not valid.`;
  return problem(c, 'BAD_REQUEST', detail, { errors });
}

export function inputErrors(issues: readonly z.core.$ZodIssue[]): InputError[] {
  return issues
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys')
        return issue.keys.map((key) => ({ path: dotted([...issue.path, key]), message: 'is not a known field' }));
      return [{ path: dotted(issue.path), message: issue.message }];
    })
    .slice(0, MOST_ERRORS);
}

const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const sentence = (error: InputError): string => (error.path === '' ? error.message : `${error.path}: ${error.message}`);
