/** The two sites that are crawled: real manuals, one of many small pages and one of few large ones. Serves nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebian } from './debian-packages.ts';

export const SITE_NAMES = ['light', 'heavy'] as const;
export type SiteName = (typeof SITE_NAMES)[number];

export interface Site {
  readonly name: SiteName;
  /** Its pages, `index.html` among them. */
  readonly directory: string;
}

export type SiteResult = { kind: 'found'; site: Site } | { kind: 'unavailable'; message: string };

const SOURCES: Readonly<Record<SiteName, { debian: string; html: string }>> = {
  light: { debian: 'postgresql-doc-15', html: 'usr/share/doc/postgresql-doc-15/html' },
  heavy: { debian: 'python3.11-doc', html: 'usr/share/doc/python3.11/html' },
};

export async function findSite(name: SiteName, cacheDir: string): Promise<SiteResult> {
  const { debian, html } = SOURCES[name];
  const unpacked = await unpackDebian(debian, join(cacheDir, debian));
  if (unpacked.kind === 'unavailable') return unpacked;
  const directory = join(unpacked.root, html);
  if (!existsSync(join(directory, 'index.html'))) {
    return { kind: 'unavailable', message: `${debian} has no ${html}/index.html in this distribution` };
  }
  return { kind: 'found', site: { name, directory } };
}
