/** Reads answers that a run has kept as they came. One that is gone, or can't be read, is as if it had not been kept. */
import { type RawAnswer, unpackRawAnswer } from '@trawl/blobs';
import type { ApiDeps } from '../deps.ts';

type AnswerDeps = Pick<ApiDeps, 'log'> & { readonly blobs: Pick<ApiDeps['blobs'], 'get'> };

export async function readAnswer(deps: AnswerDeps, ref: string): Promise<RawAnswer | null> {
  const bytes = await deps.blobs.get(ref);
  if (bytes === null) return null;
  try {
    return await unpackRawAnswer(bytes);
  } catch (error) {
    // One broken file must not make a run impossible to export.
    deps.log.warn({ err: error, ref }, 'a kept answer can not be read');
    return null;
  }
}

/** In characters, whatever text it is. Null for what is none (a PDF), and where it is no longer there. */
export async function readAsItCame(deps: AnswerDeps, ref: string, contentType: string | null): Promise<string | null> {
  const answer = await readAnswer(deps, ref);
  if (answer === null) return null;
  const { body } = answer;
  // Loaded when it is first needed: most installations keep no answers.
  const { decodeHtml, decodeText, documentKind } = await import('@trawl/extract');
  const kind = documentKind(body, contentType);
  if (kind === 'pdf') return null;
  return kind === 'html' ? decodeHtml(body, contentType).html : decodeText(body, contentType).text;
}

/** Where the picture of a page is served, or null where there is none. */
export const shotPath = (page: { readonly id: string; readonly shotRef: string | null }): string | null =>
  page.shotRef === null ? null : `/v1/pages/${page.id}/screenshot`;
