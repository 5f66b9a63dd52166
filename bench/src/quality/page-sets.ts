/** Which pages the quality measure reads: those of the repository, of a directory, or of the manuals Debian installs. */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeHtml } from '@trawl/extract';
import { GENERATORS, type GeneratorName, isGeneratorName } from './truth.ts';

export interface PageSet {
  readonly title: string;
  readonly generator: GeneratorName;
  readonly root: string;
  /** Paths within `root`. */
  readonly pages: readonly string[];
  /** What the pages' paths are resolved against. */
  readonly base: string;
}

const GOLDEN = fileURLToPath(new URL('../../../packages/extract/golden', import.meta.url));

/** Manuals as Debian's packages install them, with a package that has each. */
const DEBIAN = [
  {
    title: 'python',
    from: 'python3.11-doc',
    generator: 'sphinx',
    root: '/usr/share/doc/python3.11/html',
    leave: /(^|\/)(genindex|search|_static|py-modindex)/,
  },
  {
    title: 'postgresql',
    from: 'postgresql-doc-15',
    generator: 'docbook',
    root: '/usr/share/doc/postgresql-doc-15/html',
    leave: /^bookindex/,
  },
  { title: 'git', from: 'git-doc', generator: 'asciidoc', root: '/usr/share/doc/git/html', leave: null },
  {
    title: 'sqlite',
    from: 'sqlite3-doc',
    generator: 'sqlite',
    root: '/usr/share/doc/sqlite3',
    leave: /^search|\/syntax\//,
  },
  {
    title: 'openjdk',
    from: 'openjdk-17-doc',
    generator: 'javadoc',
    root: '/usr/share/doc/openjdk-17-jre-headless/api',
    leave: /^search/,
  },
] as const satisfies readonly {
  title: string;
  from: string;
  generator: GeneratorName;
  root: string;
  leave: RegExp | null;
}[];

export function goldenSets(): PageSet[] {
  return readdirSync(GOLDEN, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isGeneratorName(entry.name))
    .map(({ name }) => {
      if (!isGeneratorName(name)) throw new Error(`${name} has no selectors`);
      const root = join(GOLDEN, name);
      const pages = readdirSync(root).filter((file) => file.endsWith('.html'));
      return { title: name, generator: name, root, pages: pages.sort(), base: baseFor(name) };
    })
    .sort((a, b) => (a.title < b.title ? -1 : 1));
}

/** The base of a golden page's links. */
const baseFor = (generator: GeneratorName): string => `https://${GENERATORS[generator].name}.example/docs/`;

export function directorySet(root: string, generator: GeneratorName, base: string | null): PageSet {
  return { title: generator, generator, root, pages: htmlFiles(root), base: base ?? baseFor(generator) };
}

/** Those that are installed; the others' packages are named to `onMissing`. */
export function debianSets(onMissing: (packageName: string) => void): PageSet[] {
  return DEBIAN.flatMap(({ title, from, generator, root, leave }) => {
    if (!existsSync(root)) {
      onMissing(from);
      return [];
    }
    const pages = htmlFiles(root).filter((page) => !leave?.test(page));
    return [{ title, generator, root, pages, base: `https://${title}.example/docs/` }];
  });
}

/** Evenly over all of them, always the same. */
export function sample(set: PageSet, most: number): PageSet {
  const step = set.pages.length / most;
  if (step <= 1) return set;
  const pages = Array.from({ length: most }, (_, at) => set.pages[Math.floor(at * step)] ?? '');
  return { ...set, pages };
}

export function readPage(set: PageSet, page: string): { html: string; url: string } {
  const path = page.split('/').map(encodeURIComponent).join('/');
  return { html: decodeHtml(readFileSync(join(set.root, page)), null).html, url: new URL(path, set.base).href };
}

function htmlFiles(root: string): string[] {
  const start = realpathSync(root);
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
    .map((entry) => relative(start, join(entry.parentPath, entry.name)))
    .sort();
}
