/**
 * `npm run quality`: how much of the golden pages' headings, code, tables, links and words their markdown keeps, and how
 * much navigation it lets through, per generator. Exit code 1 when a generator misses what is asked of it, 2 for a
 * command line that can't be understood.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type MeasuredSet, measureSet } from './measure-set.ts';
import { debianSets, directorySet, goldenSets, type PageSet, sample } from './page-sets.ts';
import { HEADER, lossLines, setLine } from './quality-report.ts';
import { isGoodEnough, KIND_NAMES } from './score.ts';
import { GENERATORS, isGeneratorName } from './truth.ts';

const USAGE = `Usage: npm run quality -- [--debian | --pages DIR --generator NAME [--base URL]] [--only NAME] [--all] [--list]
  without options   the pages in packages/extract/golden
  --debian          the manuals of python3.11-doc, postgresql-doc-15, git-doc, sqlite3-doc and openjdk-17-doc
  --pages DIR       all HTML files below DIR, made by --generator: ${Object.keys(GENERATORS).join(', ')}
  --only NAME       one of the generators or manuals
  --all             every page; else 300 of each, evenly
  --list            each loss: page, kind, what
`;
const MOST_PAGES = 300;

interface Options {
  readonly sets: readonly PageSet[];
  readonly list: boolean;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function main(): number {
  const options = readOptions();
  if (!options) {
    process.stderr.write(USAGE);
    return 2;
  }
  say(HEADER);
  const measured: MeasuredSet[] = [];
  for (const set of options.sets) {
    const result = measureSet(set);
    measured.push(result);
    say(setLine(result));
  }
  if (options.list) for (const set of measured) for (const line of lossLines(set)) say(line);
  const short = measured.filter(({ score }) => !KIND_NAMES.every((kind) => isGoodEnough(kind, score[kind])));
  if (measured.length === 0) process.stderr.write('There are no pages to measure.\n');
  else if (short.length > 0)
    say(`\nBelow what is asked (marked with !): ${short.map(({ title }) => title).join(', ')}`);
  return short.length > 0 || measured.length === 0 ? 1 : 0;
}

function readOptions(): Options | null {
  try {
    const { values } = parseArgs({
      options: {
        debian: { type: 'boolean' },
        pages: { type: 'string' },
        generator: { type: 'string' },
        base: { type: 'string' },
        only: { type: 'string' },
        all: { type: 'boolean' },
        list: { type: 'boolean' },
      },
    });
    const { pages, generator, base, only } = values;
    if ((pages === undefined) !== (generator === undefined)) return null;
    if (base !== undefined && (pages === undefined || !URL.canParse(base))) return null;
    let sets: PageSet[];
    if (pages !== undefined && generator !== undefined) {
      if (values.debian || !isGeneratorName(generator)) return null;
      if (!existsSync(pages)) {
        process.stderr.write(`${pages} does not exist.\n`);
        return null;
      }
      sets = [directorySet(pages, generator, base ?? null)];
    } else if (values.debian) {
      sets = debianSets((name) => process.stderr.write(`${name} is not installed, so its pages are left out.\n`));
    } else {
      sets = goldenSets();
    }
    const chosen = sets.filter(({ title }) => only === undefined || title === only);
    return { sets: values.all ? chosen : chosen.map((set) => sample(set, MOST_PAGES)), list: values.list ?? false };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

// As when the lines go to `head`.
process.stdout.on('error', () => process.exit());
process.exitCode = main();
