/** A document of a kind that is read, and can't be: its own fault, told in a sentence for people. */
import type { UrlErrorCode } from '@trawl/contracts';

export class UnreadableDocument extends Error {
  override readonly name = 'UnreadableDocument';
  readonly code: UrlErrorCode;

  constructor(code: UrlErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
