/**
 * What kind of page it is, and where its parts are marked. Documentation is recognised by what its generator or theme leaves in the
 * markup, else by its share of code; an article by what publishers say to search engines and social networks.
 */
import type { Element } from '../dom/node.ts';
import type { HeadCollector } from '../metadata.ts';
import type { Measures } from './measure.ts';

export type PageKind = 'documentation' | 'article' | 'plain';

const GENERATOR =
  /sphinx|docutils|mkdocs|docusaurus|vitepress|vuepress|docbook|doxygen|javadoc|rustdoc|typedoc|jsdoc|yard|rdoc|epydoc|pdoc|texinfo|makeinfo|texi2html|asciidoc|antora|mdbook|gitbook|starlight|nextra|docsify|docfx|haddock|ocamldoc|godoc|exdoc|ex_doc|phpdocumentor|hevea|latex|groff|man2html|pod2html|pandoc/i;

/** Whole words of classes of the container that holds the text, the surest first. */
const CONTAINER_CLASSES = [
  'theme-doc-markdown',
  'vp-doc',
  'md-content__inner',
  'sl-markdown-content',
  'bd-article',
  'rst-content',
  'markdown-body',
  'devsite-article-body',
  'col-content',
  'contentContainer',
];
const CONTAINER_CLASS = new RegExp(`(?:^|\\s)(${CONTAINER_CLASSES.join('|')})(?=\\s|$)`);
/** Words that only documentation has, wherever they stand. */
const THEME_CLASS =
  /(?:^|\s)(?:documentwrapper|bodywrapper|sphinxsidebar|wy-nav-content|navheader|navfooter|refentry|memitem|headertitle|member-signature|class-description|summary-table|rustdoc|docblock|tsd-\w+|nav-panel|highlighttable|listingblock|theme-doc-\S+|wiki-body)(?=\s|$)/;
const THEME_ID = /^(?:furo-main-content|rustdoc_body_wrapper|mdbook-\S+)$/;
const ARTICLE_WORDS =
  /article-?_?_?(?:body|content|text)|entry-content|(?:post|story)-?_?_?(?:body|content|text)|blog-?post|single-post|hentry/i;

/** A page with this much code is about it. */
const MIN_CODE_SHARE = 0.08;
const MIN_CODE_BLOCKS = 3;

/** What one walk over the page finds. */
export class Marks {
  /** Of documentation. */
  container: Element | null = null;
  main: Element | null = null;
  readonly articles: Element[] = [];
  isThemed = false;
  isArticle = false;
  #rank = CONTAINER_CLASSES.length;

  constructor(root: Element) {
    this.#read(root);
  }

  #read(element: Element): void {
    for (const child of element.children) {
      if (child.tag === null || child.isDropped) continue;
      const { kind, isPhrasing } = child.tag;
      if (isPhrasing || kind === 'preformatted' || kind === 'script' || child.name === 'p') continue;
      this.#look(child);
      this.#read(child);
    }
  }

  #look(element: Element): void {
    const { attribs, tag } = element;
    if (tag.kind === 'main' || attribs.role === 'main') this.main ??= element;
    else if (tag.kind === 'article') this.articles.push(element);
    if (attribs.itemprop === 'articleBody') this.isArticle = true;
    if (attribs.id !== undefined && THEME_ID.test(attribs.id)) this.isThemed = true;
    const className = attribs.class;
    if (className === undefined) return;
    if (!this.isThemed && THEME_CLASS.test(className)) this.isThemed = true;
    if (!this.isArticle && ARTICLE_WORDS.test(className)) this.isArticle = true;
    const found = CONTAINER_CLASS.exec(className)?.[1];
    if (found === undefined) return;
    const rank = CONTAINER_CLASSES.indexOf(found);
    if (rank >= this.#rank) return;
    this.#rank = rank;
    this.container = element;
  }
}

export function kindOf(head: HeadCollector, marks: Marks, whole: Measures): PageKind {
  const generator = head.first('generator');
  if (marks.container !== null || marks.isThemed || (generator !== null && GENERATOR.test(generator)))
    return 'documentation';
  if (isAboutCode(whole)) return 'documentation';
  return head.first('og:type') === 'article' || head.isPublished() ? 'article' : 'plain';
}

function isAboutCode(whole: Measures): boolean {
  if (whole.codeBlocks < MIN_CODE_BLOCKS) return whole.terms >= 20 && whole.terms > whole.paragraphs;
  return whole.codeText > whole.text * MIN_CODE_SHARE;
}
