/** Of two transactions that wait for each other Postgres ends one. That one is whole again when it begins anew. */
const DEADLOCK = '40P01';
const MOST_TRIES = 5;

/** `work` is one transaction or one statement: nothing of it is left when it fails. */
export async function againAfterDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== DEADLOCK || tries >= MOST_TRIES) throw error;
    }
  }
}

/** Postgres' own code of an error, or an empty string. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '');
