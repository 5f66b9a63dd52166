/** Takes what a page has become: its HTML with its address, and its picture. Does not wait for the page to be ready (`quiet.ts`). */
import type { CDPSession, Page } from 'playwright-core';
import { inOwnWorld, UNTIL_IDLE } from './own-world.ts';

export interface Snapshot {
  /** Null: longer than allowed. */
  readonly html: string | null;
  readonly length: number;
  readonly url: string;
}

/** What a picture may measure at most, each way: Chromium paints no larger surface. */
const MAX_PIXELS = 16_384;
/** A document that is being replaced can't be read for a moment. */
const ATTEMPTS = 3;

/**
 * In our own world, and with the getters of the prototype: a page
 * may have an element named `documentElement`. The length is looked at there, before it becomes a message. Open shadow
 * trees are written down as templates of their hosts, as HTML has it; closed ones are told to nobody.
 */
const readDocument = (maxLength: number): string => `(async () => {
  await ${UNTIL_IDLE};
  const of = (name) => Object.getOwnPropertyDescriptor(Document.prototype, name).get.call(document);
  const shadowOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  const find = (within) => within.flatMap((element) => {
    const shadow = shadowOf.call(element);
    return shadow === null ? [] : [shadow, ...find([...shadow.querySelectorAll('*')])];
  });
  const doctype = of('doctype');
  const root = of('documentElement');
  const shadowRoots = root === null ? [] : find([root, ...root.querySelectorAll('*')]);
  const written = shadowRoots.length === 0
    ? root?.outerHTML ?? ''
    : root.cloneNode(false).outerHTML.replace(/<\\/[^<]*$/, '') + root.getHTML({ shadowRoots }) + '</' + root.localName + '>';
  const html = (doctype ? new XMLSerializer().serializeToString(doctype) + '\\n' : '') + written;
  return { html: html.length > ${maxLength} ? null : html, length: html.length, url: location.href };
})()`;

export async function takeSnapshot(session: CDPSession, maxLength: number): Promise<Snapshot> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Made by the expression above.
      return (await inOwnWorld(session, readDocument(maxLength))) as Snapshot;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

/** For pictures that load when they come into view. */
const LAZY_IMAGES_MS = 5000;
const loadLazyImages = (withinMs: number): string => `(() => {
  const images = [...document.querySelectorAll('img[loading=lazy]')];
  for (const image of images) image.loading = 'eager';
  const loaded = images.map((image) => image.complete || new Promise((done) => {
    for (const end of ['load', 'error']) image.addEventListener(end, () => done(), { once: true });
  }));
  return Promise.race([Promise.all(loaded).then(() => true), new Promise((done) => setTimeout(done, ${withinMs}))]);
})()`;

/** PNG, or null if the page could not be painted in time: its text is worth having all the same. */
export async function takeScreenshot(
  page: Page,
  session: CDPSession,
  fullPage: boolean,
  timeoutMs: number,
): Promise<Buffer | null> {
  const until = performance.now() + timeoutMs;
  try {
    // A reader would scroll to them.
    if (fullPage) await inOwnWorld(session, loadLazyImages(Math.min(LAZY_IMAGES_MS, timeoutMs / 2)));
    return await page.screenshot({
      fullPage,
      ...(fullPage && { clip: { x: 0, y: 0, width: MAX_PIXELS, height: MAX_PIXELS } }),
      type: 'png',
      timeout: Math.max(1, until - performance.now()),
    });
  } catch {
    // Whatever else went wrong with the page, its visit is told of by other ways.
    return null;
  }
}
