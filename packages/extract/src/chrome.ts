/** What on a page is not its content: navigation, controls, what is hidden. By clear marks only, never by guessing. */
import type { Attributes } from './markup.ts';
import type { Tag } from './tags.ts';

/** Landmarks around the content, by their role. */
const CHROME_ROLES = new Set(['navigation', 'search', 'banner', 'contentinfo', 'menu', 'menubar']);
/** DocBook marks its navigation by class only. */
const CHROME_CLASSES = new Set(['navheader', 'navfooter']);
const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** `isInContent`: inside a `<main>` or `<article>`. */
export function isChrome(tag: Tag, attributes: Attributes, isInContent: boolean): boolean {
  switch (tag.kind) {
    case 'dropped':
      return true;
    case 'root':
      return false;
    case 'footer':
      // Inside an article a footer is the end of the text, outside it is the foot of every page.
      if (!isInContent) return true;
      break;
  }
  const role = attributes.get('role');
  if (role !== null && CHROME_ROLES.has(role)) return true;
  const hidden = attributes.get('hidden');
  if (hidden !== null && hidden !== 'until-found') return true;
  const style = attributes.get('style');
  if (style !== null && HIDING_STYLE.test(style)) return true;
  // Around whole blocks `aria-hidden` is often left behind by a script that never ran; around signs it is meant.
  if (tag.isPhrasing) return tag.kind !== 'image' && attributes.get('aria-hidden') === 'true';
  if (tag.name !== 'div') return false;
  const className = attributes.get('class');
  return className !== null && CHROME_CLASSES.has(className);
}
