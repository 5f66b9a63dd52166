/** Says what is wrong with an argument that `parseArgs` refused, in one sentence. */

/** Node's own messages go on with advice about quoting that says nothing here. */
export function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.split(/\.\s|\n/)[0]?.replace(/\.$/, '')}.`;
}
