/**
 * What class names and ids say of a box. People make them for people, in English nearly everywhere: `related-posts`, `articleBody`, `share_buttons`.
 * They are read word by word, never by parts of words: there is an `ad` neither in `header` nor in `shadow`. Decides nothing.
 */
import type { Element } from '../dom/node.ts';

export interface Names {
  /** Named as what stands beside articles: navigation, comments, offers, or as hidden. */
  readonly isChrome: boolean;
  /** What readers wrote, which may be more than the article. */
  readonly isComments: boolean;
  /** Named as what stands inside articles without belonging to their text: bylines, captions, players. */
  readonly isExtra: boolean;
  /** Named as the text of an article. */
  readonly isBody: boolean;
}

export type NamesOf = (element: Element) => Names;

const NOTHING: Names = { isChrome: false, isComments: false, isExtra: false, isBody: false };

/** Pages repeat their names: for most boxes of a page this is a look-up. */
export function nameReader(): NamesOf {
  const known = new Map<string, Names>();
  return ({ tag, attribs }) => {
    const { class: classes, id } = attribs;
    // Headings get their ids from their text, whatever it is about.
    const usedId = tag.kind === 'heading' || id === undefined ? '' : ` ${id}`;
    if (classes === undefined && usedId === '') return NOTHING;
    const key = `${classes ?? ''}${usedId}`;
    let names: Names | undefined = known.get(key);
    if (names === undefined) {
      names = new ReadNames(key);
      known.set(key, names);
    }
    return names;
  };
}

/**
 * Alternatives of whole words. In the text they are looked for in, each name is between dots and its words between hyphens:
 * `.post-meta.hidden.`; so `(?=\.)` after a word makes it the last of its name.
 */
function wordsOf(...lists: readonly string[]): RegExp {
  return new RegExp(`[.-](?:${lists.join(' ').trim().split(/\s+/).join('|')})(?=[.-])`);
}

const CHROME = wordsOf(
  // What readers wrote.
  'comments? commentlist disqus respond livefyre discussion',
  // Layout and navigation.
  'sidebars?\\d? side-bar aside rail widgets? footer foot nav navbar navigation menu masthead site-header global-header toolbar',
  'breadcrumbs? crumbs pagination pager paging page-links skip-?links?',
  // Further pages.
  'related related-?(?:posts?|articles?|content|stories|links) recommend(?:ed|ations?)? recirc(?:ulation)? outbrain taboola zergnet revcontent',
  'popular trending most-(?:popular|read|viewed|recent|shared) latest-(?:news|posts|stories|articles|videos?)',
  'more-(?:stories|news|posts|articles|on|from|in|like|coverage|videos?|reading) read-(?:more|next|also) also-read see-also up-next',
  'next-(?:up|article|post|story) you-(?:may|might) tags? tag-?(?:list|links|cloud) topics keywords',
  // Offers.
  'newsletters? subscribe subscription sign-?up mailing-list opt-?in mailchimp mc4wp log-?in register registration donate donation',
  'advert(?:s|isements?|ising|orial)? ads? ad-?(?:slot|unit|box|sense) dfp sponsor(?:ed|s|ship)? promo(?:s|tions?|ted|box)? commercial',
  // Share buttons and the like.
  'shar(?:e|es|ing)(?:-?(?:bar|buttons?|links?|tools?|this|daddy))? add(?:this|toany) social(?:-?(?:links?|media|icons?|bar|share|buttons?|tools))? socials',
  'follow-us article-tools page-tools',
  // Windows and notices.
  'modal popup pop-up lightbox (?:rollover|hover|pop-?over|flyout)-?(?:block|box|card|content) cookie(?=\\.) cookie-?(?:notice|banner|consent|bar|law|message|policy|warning|info|alert|popup|container|wrap) consent gdpr',
  // Not for eyes, or for paper.
  'visually-?hidden screen-reader-text sr-only off-?screen is-hidden noscript no-?print print-only d-print-(?:none|block|inline|flex)',
);
/** Hidden as such; not `overflow-hidden`, nor what is shown on larger screens (`hidden md:block`). */
const HIDDEN = /\.(?:hidden|hide|d-none)(?=\.)(?!.*[.-](?:sm|md|lg|xl)-)/;

const COMMENTS = wordsOf(
  'comments comments-?(?:area|list|section|container|wrapper) comment-?(?:list|area|section|thread)s? disqus respond replies',
);

const EXTRA = wordsOf(
  'authors? bio byline by-line bylines contributors? (?:written|posted)-by',
  'captions? credits? attribution copyright image-(?:info|meta|desc(?:ription)?) media-(?:caption|credit|info)',
  '(?:post|entry|article|story|page|blog|news)-?(?:meta|info|date|details|utility|tools|actions|footer|tags)',
  'meta(?=\\.) meta-?data postmeta time-?stamp datetime pub-?date published(?=\\.) publish-date publication-date last-updated updated(?=\\.)',
  'categor(?:y|ies) cat-links posted-in filed-under ratings? stars? votes? likes? reactions?',
  'gallery slideshow carousel slider thumbs? thumbnails? audio-player',
  'video-(?:player|title|caption|info|meta|container|wrapper|embed|description)',
  'poll quiz survey feedback helpful call-?to-action cta jump-(?:to|links?) toc table-of-contents tool-?tip',
  'embed-(?:card|link) teasers teaser-(?:list|box|grid) editors?-picks? inline-(?:promo|related|links?) story-(?:links|package)',
);

const BODY = wordsOf(
  '(?:article|story|post|entry|news|blog|single|page|text|item|main|content)-(?:body|text|content|copy|main|entry|story|article|post|txt)',
  '(?:article|story|post|entry|news|main)(?:body|content|text) body-?(?:text|copy|content) postentry blogpost hentry e-content',
  // Of editors, and of Drupal, where the field for the text is called so.
  'rich-?text wysiwyg field-name-body',
);

/** Page builders wrap everything into boxes they call widgets. */
const BUILDER = /(?:^|\s)(?:elementor|siteorigin|so-widget|wpb|vc|et_pb|fl)[-_]\S*/g;
/** WordPress names a post after what it is about: `category-social tag-newsletters`. */
const POST = /(?:^|\s)(?:post-\d+|hentry|type-post)(?:\s|$)/;
const ABOUT = /(?:^|\s)(?:category|tag|author|format|status|term)-\S*/g;

const MAX_NAMES = 300;

/** Looked through when asked: most names are asked one of the questions only. */
class ReadNames implements Names {
  readonly #names: string;
  #isChrome: boolean | null = null;
  #isExtra: boolean | null = null;
  #isBody: boolean | null = null;

  constructor(raw: string) {
    let names = raw.slice(0, MAX_NAMES).replaceAll(BUILDER, '');
    if (POST.test(names)) names = names.replaceAll(ABOUT, '');
    this.#names = `.${names
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-')
      .toLowerCase()
      .replaceAll(/\s+/g, '.')
      .replaceAll(/[^a-z0-9.]+/g, '-')}.`;
  }

  get isChrome(): boolean {
    this.#isChrome ??= CHROME.test(this.#names) || HIDDEN.test(this.#names);
    return this.#isChrome;
  }

  get isComments(): boolean {
    return COMMENTS.test(this.#names);
  }

  get isExtra(): boolean {
    this.#isExtra ??= EXTRA.test(this.#names);
    return this.#isExtra;
  }

  get isBody(): boolean {
    this.#isBody ??= BODY.test(this.#names);
    return this.#isBody;
  }
}
