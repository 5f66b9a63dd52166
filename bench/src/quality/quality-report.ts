/** The lines `npm run quality` prints. */
import type { MeasuredSet } from './measure-set.ts';
import { isGoodEnough, KIND_NAMES, KINDS, shareOf } from './score.ts';

const NAME_WIDTH = 16;
const WIDTH = 13;
const MOST_LOSSES = 12;
const MOST_CHARACTERS = 240;

export const HEADER = [
  'kept of'.padEnd(NAME_WIDTH),
  'pages'.padStart(6),
  ...KIND_NAMES.map((kind) => KINDS[kind].title.padStart(WIDTH)),
  '  ms/page  slowest',
].join('');

export function setLine({ title, pages, skipped, score }: MeasuredSet): string {
  const shares = KIND_NAMES.map((kind) => {
    const count = score[kind];
    const percent = count.of === 0 ? '–' : `${(100 * shareOf(kind, count)).toFixed(1)} %`;
    return `${percent}${isGoodEnough(kind, count) ? ' ' : '!'}`.padStart(WIDTH);
  });
  const perPage = pages.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, pages.length);
  const slowest = pages.reduce((a, b) => (b.ms > a.ms ? b : a), pages[0] ?? { ms: 0, page: '' });
  const time = `${perPage.toFixed(1).padStart(9)}  ${slowest.ms.toFixed(0)} ms ${slowest.page}`;
  const note = skipped.length > 0 ? `  (${skipped.length} without content)` : '';
  return `${title.padEnd(NAME_WIDTH)}${String(pages.length).padStart(6)}${shares.join('')}${time}${note}`;
}

export function* lossLines({ title, pages }: MeasuredSet): Generator<string> {
  for (const { page, score } of pages) {
    for (const kind of KIND_NAMES) {
      const { losses } = score[kind];
      const verb = kind === 'navigation' ? 'lets through' : 'loses';
      for (const loss of losses.slice(0, MOST_LOSSES)) {
        const shown = loss.length > MOST_CHARACTERS ? `${loss.slice(0, MOST_CHARACTERS)}…` : loss;
        yield `${title}/${page} ${verb} ${KINDS[kind].title}: ${kind === 'code' ? JSON.stringify(shown) : shown}`;
      }
      if (losses.length > MOST_LOSSES) yield `${title}/${page} … and ${losses.length - MOST_LOSSES} more of ${kind}`;
    }
  }
}
