/** Notes at the foot of a page, told by what generators mark them with: which elements they are, and what leads to them. */
import { attribute, type Element, rawText, walkElements } from '../dom/node.ts';

export interface Footnotes {
  /** Label by the id that references point to. */
  readonly labels: ReadonlyMap<string, string>;
  /** Label by the element that holds the note. */
  readonly notes: ReadonlyMap<Element, string>;
  /** What holds nothing but notes. */
  readonly lists: ReadonlySet<Element>;
}

const NOTE_LIST = /(?:^|\s)(?:footnotes(?:-list)?|footnote-list|endnotes|doc-endnotes)(?:\s|$)/;
const NOTE = /(?:^|\s)(?:footnote|footnote-definition)(?:\s|$)/;
const LABEL = /^[\s[(^]*([\w*†‡§-]{1,20})[\s\])^.:]*$/u;
const BACK_CLASS =
  /(?:^|\s)(?:fn-backref|footnote-?back(?:ref)?|data-footnote-backref|backrefs?|reversefootnote)(?:\s|$)/;
const BACK_SIGN = /^(?:[\s↩↑^⏎]|\uFE0E)*$/u;
const MAX_NOTES = 10_000;

export const NO_FOOTNOTES: Footnotes = { labels: new Map(), notes: new Map(), lists: new Set() };

export function findFootnotes(root: Element): Footnotes {
  const labels = new Map<string, string>();
  const notes = new Map<Element, string>();
  const lists = new Set<Element>();
  const add = (note: Element, id: string | null, label: string): void => {
    if (id === null || labels.has(id) || notes.size >= MAX_NOTES) return;
    labels.set(id, label);
    notes.set(note, label);
  };
  walkElements(root, (element) => {
    const className = attribute(element, 'class') ?? '';
    // A reference is often called the same as what it refers to.
    const isNote = NOTE.test(className) && !element.tag.isPhrasing;
    const isList = NOTE_LIST.test(className) || attribute(element, 'role') === 'doc-endnotes';
    if (isList || (isNote && attribute(element, 'id') === null && element.tag.kind === 'block')) {
      const before = notes.size;
      addItems(element, add);
      if (notes.size > before) lists.add(element);
    } else if (isNote) addNote(element, add);
    return true;
  });
  return { labels, notes, lists };
}

/** Whether an element inside a note only leads back, or repeats its label. */
export function isBackReference(element: Element, label: string): boolean {
  const className = attribute(element, 'class') ?? '';
  if (BACK_CLASS.test(className) || Object.hasOwn(element.attribs, 'data-footnote-backref')) return true;
  if (/(?:^|\s)(?:label|fn-label)(?:\s|$)/.test(className)) return true;
  if (element.tag.kind !== 'anchor' || !attribute(element, 'href')?.includes('#')) return false;
  const text = rawText(element);
  return BACK_SIGN.test(text) || LABEL.exec(text)?.[1] === label;
}

type Add = (note: Element, id: string | null, label: string) => void;

/** `<ol><li id>`: the number of the item is its label. */
function addItems(list: Element, add: Add): void {
  let count = 0;
  walkElements(list, (element) => {
    if (element.tag.kind !== 'item') return true;
    count++;
    add(element, attribute(element, 'id'), `${count}`);
    return false;
  });
}

function addNote(note: Element, add: Add): void {
  const id = attribute(note, 'id');
  if (id === null) return;
  let label: string | null = null;
  walkElements(note, (element) => {
    const isLabel = element.tag.kind === 'anchor' || /label/.test(attribute(element, 'class') ?? '');
    if (label === null && isLabel) label = LABEL.exec(rawText(element))?.[1] ?? null;
    return label === null;
  });
  if (label !== null) add(note, id, label);
}
