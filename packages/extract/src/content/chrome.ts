/**
 * What on a page is not its content, by clear marks: hidden elements, landmarks, and the words that generators and themes put into
 * classes. Guessing by the density of text is `article.ts`.
 */
import { attribute, type Element } from '../dom/node.ts';

/** Landmarks around the content, by their role. */
const CHROME_ROLES = new Set([
  'navigation',
  'search',
  'banner',
  'contentinfo',
  'menu',
  'menubar',
  'toolbar',
  'dialog',
  'alertdialog',
]);
const HIDING_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;

/** Whole words of classes. */
const CHROME_CLASS = new RegExp(
  `(?:^|\\s)(?:${[
    // DocBook, texinfo, Sphinx and its themes
    'navheader|navfooter|nav-panel|related|sphinxsidebar|sphinxsidebarwrapper|wy-nav-side|wy-breadcrumbs|rst-footer-buttons|rst-versions',
    'prev-next-area|prev-next-footer|bd-sidebar\\S*|bd-toc|sidebar-\\w+|sidebar-drawer|toc-drawer|mobile-header|content-icon-container|related-pages',
    'injected|announcement|bd-header\\S*|bd-footer\\S*|sourcelink|edit-this-page|view-this-page|back-to-top|searchbox',
    // MkDocs, Docusaurus, VitePress, Starlight, mdBook
    'md-header|md-footer|md-sidebar|md-tabs|md-search|md-content__button|md-source-file|md-feedback|md-skip|md-dialog|md-top|md-banner',
    'theme-doc-(?:footer|breadcrumbs|toc-\\w+|sidebar\\S*|version-badge|version-banner)|pagination-nav|navbar|tocCollapsible\\S*|breadcrumbs\\S*|tableOfContents\\S*|skipToContent\\S*',
    'VPNav|VPLocalNav|VPSidebar|VPDocFooter|VPDocAside|VPDocOutline\\S*|VPFooter|VPSkipLink|pagination-links|right-sidebar\\S*|nav-chapters|nav-wrapper|mobile-nav-chapters|menu-bar|sidetoc',
    // javadoc, rustdoc, doxygen, TypeDoc
    'topNav|bottomNav|subNav|fixedNav|top-nav|bottom-nav|sub-nav|flex-header|legal-copy|navPadding|skip-?nav|rustdoc-toolbar|mobile-topbar|sub-heading-nav|out-of-band',
    'tsd-navigation|tsd-breadcrumb|tsd-generator|site-menu|page-menu|tsd-panel-search|navpath|ttc|tabs\\d?|sm-dox',
    // everywhere
    'rustdoc-breadcrumbs|hideme',
    'breadcrumbs?|pagination|pager|page-nav|post-navigation|nav-links|navigation|topnav|sidenav|site-nav\\S*|main-nav\\S*|site-header|site-footer|page-footer|global-(?:header|footer|nav)',
    'nosearch|noprint|skip-link|skip-to-content|screen-reader-text|sr-only|visually-hidden|edit-link|edit-page-link|share|sharing|share-buttons?|social-\\w+|sharedaddy|addtoany\\S*',
    'jp-relatedposts|related-posts?|related-articles?|comments-area|comment-respond|cookie-?(?:banner|notice|consent|bar|law)\\S*|cc-(?:window|banner)|gdpr\\S*|newsletter\\S*|subscribe-\\w+',
  ].join('|')})(?=\\s|$)`,
);
const CHROME_ID =
  /^(?:sidebar|side-nav|nav|navbar|navigation|footer|footer-text|header-nav|breadcrumbs?|cookie\S*|onetrust\S*|comments|disqus_thread|search|skip\S*|MSearch\S*|nav-path|titlearea)$/i;
/** Lists of what is on the page itself. */
const CONTENTS_CLASS =
  /(?:^|\s)(?:toc|table-of-contents|local-toc|page-toc|mini-toc|fancy_toc|fancy-toc|contents-local|shortcontents|toc-list|toc-wrapper|post-toc)(?=\s|$)/;
const CONTENTS_ID = /^(?:toc|markdown-toc|table-of-contents|page-contents|nav-toc|TableOfContents)$/i;

/** Numbers of lines, in a column or a box beside the code. */
const LINE_NUMBERS = /(?:^|\s)(?:linenos|linenodiv|line-numbers-wrapper|gutter|rouge-gutter|lineno)(?=\s|$)/;

/** Marks what nobody sees or reads, and what says itself that it leads elsewhere (`<nav>`) unless the whole body is wanted. */
export function dropHidden(element: Element, keepsNavigation: boolean): void {
  for (const child of element.children) {
    if (child.tag === null) continue;
    if (
      isHidden(child) ||
      (child.name === 'nav' && !keepsNavigation && !isContentsTopic(child, child.attribs.class ?? ''))
    )
      child.isDropped = true;
    else if (child.tag.kind !== 'preformatted') dropHidden(child, keepsNavigation);
  }
}

export interface Dropped {
  /** Lists of the page's own contents, which come back where there is nothing else. */
  readonly contents: Element[];
}

/**
 * Marks what is around or between the content. `isInside`: within what a generator marks as the content, where a heading may well be
 * called "Navigation", so ids mean nothing, and a header belongs to the text.
 */
export function dropChrome(element: Element, isInside: boolean, dropped: Dropped = { contents: [] }): Dropped {
  for (const child of element.children) {
    if (child.tag === null || child.isDropped) continue;
    const { kind, isPhrasing } = child.tag;
    if (isPhrasing || kind === 'preformatted' || kind === 'heading' || child.name === 'p') continue;
    if (isContents(child)) {
      child.isDropped = true;
      dropped.contents.push(child);
    } else if (isChrome(child, isInside)) child.isDropped = true;
    else dropChrome(child, isInside || kind === 'main' || kind === 'article', dropped);
  }
  return dropped;
}

function isHidden(element: Element): boolean {
  const { attribs, tag } = element;
  const { hidden, style } = attribs;
  if (hidden !== undefined && hidden !== 'until-found') return true;
  if (!tag.isPhrasing && attribs.class !== undefined && LINE_NUMBERS.test(attribs.class)) return true;
  if (style !== undefined && HIDING_STYLE.test(style)) return true;
  // Around whole blocks `aria-hidden` is often left behind by a script that never ran; around signs it is meant.
  return (
    tag.isPhrasing &&
    tag.kind !== 'image' &&
    tag.kind !== 'math' &&
    attribs['aria-hidden'] === 'true' &&
    !holdsMath(element)
  );
}

/** KaTeX hides what is for eyes and shows what is for ears; the formula is found from the outside. */
const holdsMath = (element: Element): boolean => /katex|mjx|MathJax/.test(attribute(element, 'class') ?? '');

function isChrome(element: Element, isInside: boolean): boolean {
  const { attribs, name } = element;
  if (name === 'nav' || name === 'footer' || (name === 'header' && !isInside)) return true;
  const role = attribs.role;
  if (role !== undefined && CHROME_ROLES.has(role)) return true;
  const className = attribs.class;
  if (className === 'header' && leadsAround(element)) return true;
  if (className === 'summary' && element.parent?.attribs.class === 'header') return true;
  if (className !== undefined && CHROME_CLASS.test(className)) return !isHeadingSection(element);
  return (
    !isInside &&
    attribs.id !== undefined &&
    (attribs.id === 'top' || CHROME_ID.test(attribs.id)) &&
    !isHeadingSection(element)
  );
}

/** texinfo: `Next: …, Previous: …, Up: …`, each with a key of its own. */
const leadsAround = (element: Element): boolean =>
  element.children.some(
    (child) =>
      child.tag !== null && (child.tag.kind === 'anchor' ? child.attribs.accesskey !== undefined : leadsAround(child)),
  );

function isContents(element: Element): boolean {
  const { class: className, id } = element.attribs;
  const isNamed =
    (className !== undefined && (CONTENTS_CLASS.test(className) || isContentsTopic(element, className))) ||
    (id !== undefined && CONTENTS_ID.test(id));
  return isNamed && !isHeadingSection(element);
}

/** docutils: `<nav class="contents">` or `<div class="contents topic">`; alone the word is the content of doxygen's pages. */
const isContentsTopic = (element: Element, className: string): boolean =>
  /(?:^|\s)contents(?:\s|$)/.test(className) &&
  (element.name === 'nav' || /(?:^|\s)(?:topic|local)(?:\s|$)/.test(className));

/** A section of the text is named after its heading, whatever that is: `<section id="navigation"><h2>Navigation</h2>`. */
function isHeadingSection(element: Element): boolean {
  if (isHeadingGroup(element)) return true;
  if (element.name !== 'section' && !/(?:^|\s)section(?:\s|$)/.test(element.attribs.class ?? '')) return false;
  return element.children.some((child) => child.tag?.kind === 'heading');
}

/** Headings and nothing else but a line or a link: the title of the page, whatever is said of it. */
function isHeadingGroup(element: Element): boolean {
  let hasHeading = false;
  for (const child of element.children) {
    if (child.tag === null) continue;
    if (child.tag.kind === 'heading') hasHeading = true;
    else if (!child.tag.isPhrasing && child.name !== 'p') return false;
  }
  return hasHeading;
}
