/** Where each generator puts the content of a page, and what it puts around it. Selectors only: page-truth.ts reads with them. */
import type { Generator } from './page-truth.ts';

const sphinx = {
  name: 'sphinx',
  main: ['[itemprop="articleBody"]', 'article[role="main"]', 'div.body[role="main"]', 'div.body'],
  chrome:
    'a.headerlink, a.viewcode-link, a.viewcode-back, nav.contents, div.contents, .linenos, button, .related, .rst-footer-buttons, .prev-next-area',
  either: 'span.eqno, span.classifier',
  layoutTables:
    'table.highlighttable, table.contentstable, table.indextable, table.modindextable, table.footnote, table.citation',
} as const satisfies Generator;

const mkdocs = {
  name: 'mkdocs',
  main: ['article.md-content__inner', '[itemprop="articleBody"]'],
  chrome: 'a.headerlink, a.md-content__button, .linenos, button, .md-source-file',
  layoutTables: 'table.highlighttable, table.codehilitetable',
} as const satisfies Generator;

export const GENERATORS = {
  sphinx,
  'sphinx-rtd': { ...sphinx, name: 'sphinx-rtd' },
  furo: { ...sphinx, name: 'furo' },
  mkdocs,
  'mkdocs-material': { ...mkdocs, name: 'mkdocs-material' },
  docbook: {
    name: 'docbook',
    main: [
      'div.refentry, div.chapter, div.sect1, div.appendix, div.preface, div.part, div.book, div.article, div.reference, div.bibliography, div.index, div.glossary, div.legalnotice, div.section, div.colophon',
    ],
    chrome: 'div.navheader, div.navfooter, a.id_link',
    either: 'div.toc, div.list-of-tables',
    layoutTables:
      'div.note > table, div.tip > table, div.warning > table, div.caution > table, div.important > table, table.simplelist',
  },
  asciidoc: {
    name: 'asciidoc',
    main: ['body'],
    chrome: '#toc, #footer',
    either: 'div.toc',
    layoutTables: '.admonitionblock > table, .hdlist > table, .colist > table',
  },
  asciidoctor: {
    name: 'asciidoctor',
    main: ['body'],
    chrome: '#toc, #footer',
    either: '#header .details',
    layoutTables: '.admonitionblock > table, .hdlist > table, .colist > table',
  },
  pandoc: {
    name: 'pandoc',
    main: ['body'],
    chrome: 'nav#TOC',
  },
  texinfo: {
    name: 'texinfo',
    main: ['body'],
    chrome: 'div.header, a.copiable-anchor',
    either:
      '.footnotes-heading, h5:has(> a[href^="#DOCF"]), a[href^="#FOOT"], ul.section-toc, ul.mini-toc, table.menu, .region-contents, .region-shortcontents',
    layoutTables: 'table.menu, table.cartouche',
  },
  docusaurus: {
    name: 'docusaurus',
    main: ['article .theme-doc-markdown'],
    chrome: 'a.hash-link, button',
  },
  vitepress: {
    name: 'vitepress',
    main: ['.vp-doc'],
    chrome: 'a.header-anchor, button, span.lang, .line-numbers-wrapper',
    either: '.vp-code-group .tabs',
  },
  javadoc: {
    name: 'javadoc',
    main: ['main[role="main"]', 'main'],
    chrome: '.sub-nav, .table-tabs, .skip-nav, nav, footer, button, .anchor-link',
    either: '.toc',
  },
  doxygen: {
    name: 'doxygen',
    main: ['div.headertitle, div.contents'],
    chrome: 'div.toc, .permalink, .lineno, div.summary, .memSeparator',
    either: 'div.ttc',
    layoutTables: 'table.memname, table.mlabels, table.memberdecls, table.directory, table.classindex',
    code: 'pre, div.fragment',
    codeLines: 'div.line',
  },
  rustdoc: {
    name: 'rustdoc',
    main: ['#main-content'],
    chrome:
      'rustdoc-toolbar, .rustdoc-breadcrumbs, a.anchor, a.doc-anchor, a.src, .tooltip, button, .test-arrow, .out-of-band',
    either: 'summary.hideme, .rightside',
  },
  typedoc: {
    name: 'typedoc',
    main: ['.col-content'],
    chrome: '.tsd-breadcrumb, .tsd-anchor-icon, button, .tsd-sources',
    either: '.tsd-index-panel',
  },
  wordpress: {
    name: 'wordpress',
    main: ['main#main > article'],
    chrome: '.screen-reader-text',
    either: '.entry-footer, .more-link, .cat-links, .tags-links',
  },
  news: {
    name: 'news',
    main: ['article.story', '.css-mid'],
    chrome:
      '.share-buttons, .newsletter-signup, .related-stories, .comments, .css-sh, .css-rel, .css-cmt, .css-promo, .css-ad',
    either: '.kicker, .byline, .tags, .css-kk, .css-by',
  },
  shop: {
    name: 'shop',
    main: ['section.product', '#product'],
    chrome: 'form, .p-buy, button',
    either: '.reviews, .p-reviews, .availability, form label',
  },
  sqlite: {
    name: 'sqlite',
    main: ['body'],
    chrome: '.tagline, .menu, .searchmenu, .fancy_toc, .fancy-toc, #toc_sub, body > div.nosearch:first-of-type, button',
    either: 'p:has(#mtimelink)',
    layoutTables: 'table:not(:has(th)):not([border]):not(.striped), table[border="0"]:not(:has(th))',
  },
} as const satisfies Record<string, Generator>;

export type GeneratorName = keyof typeof GENERATORS;

export const isGeneratorName = (name: string): name is GeneratorName => Object.hasOwn(GENERATORS, name);
