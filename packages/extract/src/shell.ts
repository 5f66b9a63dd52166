/**
 * Is a page an empty shell: markup that a script is to fill? Told by what it lacks (text) together with what it has (scripts, and a place
 * to fill or a word that they are needed). Does not decide whether a browser is worth it: runs learn that (crawl-state).
 */
import { attribute, type Element, rawText } from './dom/node.ts';

export interface Shell {
  readonly isShell: boolean;
  /** Words that are shown and are no links; counted no further than it takes. */
  readonly words: number;
}

/** With more words of its own a page says something, whatever a script may add. */
const MOST_WORDS = 60;
/** A place to fill may hold a word that it is loading. */
const MOST_WORDS_INSIDE = 8;

/** What is looked at of scripts in the page, and of the names of empty boxes. */
const MOST_CODE = 65_536;
const MOST_IDS = 50;

/** Where frameworks put what they make, by their own names and by custom. */
const MOUNT_IDS =
  /^(?:root|app|application|main-app|app-root|react-root|reactroot|react-app|__next|__nuxt|___gatsby|svelte|ember-app|vue-app|q-app|mount|spa|page-root|site-root)$/i;
const MOUNT_NAMES = /^(?:app-root|my-app|ng-app|ion-app)$/;
const MOUNT_ATTRIBUTES = [
  'ng-app',
  'data-ng-app',
  'ng-version',
  'data-reactroot',
  'data-v-app',
  'data-server-rendered',
];
const NEEDS_SCRIPTS = /java\s?script/i;
const IS_LOADING = /\b(?:loading|please wait|wird geladen|chargement|cargando|carregando|laden)\b|読み込み|加载中/i;
/** JSON, templates and rules for speculation are data; what has no type, or one of these, runs. */
const RUNS = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
/** What is in these is no text of the page; some are to be seen all the same. */
const SHOWN_WHOLE = /^(?:svg|iframe|object)$/;
const UNSEEN = /^(?:script|style|noscript|template|svg|head|title|iframe|object)$/;

/** `most`: words are counted up to so many. */
export function findShell(root: Element, most = MOST_WORDS): Shell {
  const look = new Look(most);
  look.at(root, false);
  const { words, scripts, bundles, says, mounts, containers, places, shown, text } = look;
  if (words > MOST_WORDS || scripts === 0) return { isShell: false, words };
  const isBare = words === 0 && (containers > 0 || shown === 0);
  const isWaiting = words <= MOST_WORDS_INSIDE && bundles > 0 && (places > 0 || IS_LOADING.test(text));
  return { isShell: says || mounts || isBare || isWaiting || look.isNamedPlaceEmpty(), words };
}

class Look {
  words = 0;
  /** Those of links too. */
  allWords = 0;
  /** Scripts that run; and those of them that come as a file. */
  scripts = 0;
  bundles = 0;
  says = false;
  mounts = false;
  /** Boxes without words of their own; and those of them with nothing in them, which a script finds by their name. */
  containers = 0;
  places = 0;
  /** Elements of the body that are no boxes. */
  shown = 0;
  text = '';
  readonly #ids: string[] = [];
  #code = '';
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  at(parent: Element, inLink: boolean): void {
    for (const child of parent.children) {
      if (child.tag === null) {
        this.#read(child.data, inLink);
      } else if (child.name === 'script') this.#script(child);
      else if (child.name === 'noscript') this.says ||= NEEDS_SCRIPTS.test(rawText(child));
      else if (child.name === 'head') this.#head(child);
      else if (!UNSEEN.test(child.name)) {
        const [before, allBefore, shownBefore] = [this.words, this.allWords, this.shown];
        this.at(child, inLink || child.name === 'a');
        const inside = this.words - before;
        if (!isContainer(child)) this.shown += child.tag.kind === 'root' ? 0 : 1;
        else if (inside === 0) this.#container(child, this.shown === shownBefore);
        if (this.allWords - allBefore <= MOST_WORDS_INSIDE && isMount(child)) this.mounts = true;
      } else if (SHOWN_WHOLE.test(child.name)) this.shown += 1;
      if (this.words > this.#most) return;
    }
  }

  #head(head: Element): void {
    for (const child of head.children) {
      if (child.tag === null) continue;
      if (child.name === 'script') this.#script(child);
      else if (child.name === 'noscript') this.says ||= NEEDS_SCRIPTS.test(rawText(child));
    }
  }

  #script(script: Element): void {
    if (!RUNS.test(attribute(script, 'type')?.trim() ?? '')) return;
    this.scripts += 1;
    if (attribute(script, 'src') !== null) this.bundles += 1;
    else if (this.#code.length < MOST_CODE) this.#code += rawText(script).slice(0, MOST_CODE);
  }

  #container(box: Element, isEmpty: boolean): void {
    this.containers += 1;
    if (!isEmpty) return;
    const id = attribute(box, 'id') ?? '';
    if (id !== '' || box.name.includes('-')) this.places += 1;
    if (id !== '' && this.#ids.length < MOST_IDS) this.#ids.push(id);
  }

  /** Does a script in the page speak of a box that is empty? */
  isNamedPlaceEmpty(): boolean {
    return this.#ids.some((id) => ["'", '"', '`'].some((sign) => this.#code.includes(id + sign)));
  }

  #read(data: string, inLink: boolean): void {
    const words = data.split(/\s+/).filter((word) => word !== '').length;
    this.allWords += words;
    if (words === 0 || inLink) return;
    this.words += words;
    if (this.text.length < 200) this.text += ` ${data.slice(0, 200)}`;
  }
}

const isContainer = ({ name }: Element): boolean => /^(?:div|main|section|article)$/.test(name) || name.includes('-');

const isMount = (element: Element): boolean =>
  MOUNT_NAMES.test(element.name) ||
  MOUNT_IDS.test(attribute(element, 'id') ?? '') ||
  MOUNT_ATTRIBUTES.some((name) => attribute(element, name) !== null);
