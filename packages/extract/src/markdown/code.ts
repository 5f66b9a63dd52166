/** The text and the language of a piece of preformatted code, whatever a highlighter has made of its markup. */
import { attribute, type Element } from '../dom/node.ts';

/** What stands beside the code: line numbers, buttons, prompts that can't be selected. */
const BESIDE =
  /(?:^|\s)(?:linenos?|linenodiv|line-?numbers?(?:-rows|-wrapper)?|gutter|rouge-gutter|hljs-ln-numbers|lnt?|copy(?:btn|-btn|-button)?|code-copy|conum-hidden)(?:\s|$)/i;

const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|src-|brush:\s*|code-block-)([\w+#.-]{1,20})(?=[\s;]|$)/;
/** Names that stand alone as a class of a `<pre>` or `<code>`, and what is none. */
const BARE_LANGUAGE =
  /(?:^|\s)(bash|c|cpp|csharp|css|diff|go|haskell|html|ini|java|javascript|js|json|kotlin|lua|makefile|perl|php|powershell|python|python3|pycon|r|ruby|rust|scala|sh|shell|sql|swift|toml|ts|typescript|xml|yaml)(?=\s|$)/;
const NO_LANGUAGE = new Set([
  'default',
  'text',
  'none',
  'plain',
  'plaintext',
  'txt',
  'notranslate',
  'nohighlight',
  'no-highlight',
  'unknown',
  'auto',
]);

/** pandoc names the language beside words of its own. */
const PANDOC = /(?:^|\s)sourceCode(?:\s|$)/;
const PANDOC_WORD = /^(?:sourceCode|numberSource|numberLines|lineAnchors|literate|wrap|)$/;
/** Names that only their highlighter knows. */
const ALIASES: Readonly<Record<string, string>> = { python3: 'python', ipython3: 'python', 'c++': 'cpp' };

/** How far out a highlighter may name the language. */
const MAX_OUTER = 3;

/** Its white space is kept exactly, but for the line end HTML does not count and what follows the last line. */
export function codeText(element: Element): string {
  const code = new CodeText(element.tag.kind === 'preformatted' || element.tag.kind === 'code');
  code.read(element);
  // A no-break space in code is a space that a highlighter was afraid for.
  const text = code.text.includes('\u00a0') ? code.text.replaceAll('\u00a0', ' ') : code.text;
  return text.replace(/^\r?\n/, '').trimEnd();
}

export function codeLanguage(element: Element): string {
  const inner = element.children.find((child) => child.tag !== null && child.tag.kind === 'code');
  const own = named(element) || (inner?.tag ? named(inner) : '');
  if (own !== '') return own;
  let outer = element.parent;
  for (let depth = 0; outer !== null && depth < MAX_OUTER; depth++, outer = outer.parent) {
    // Further out than the box around the code, a class speaks of something else.
    if (outer.children.length > 6) return '';
    const language = byPrefix(outer);
    if (language !== '') return language;
  }
  return '';
}

function named(element: Element): string {
  const declared = attribute(element, 'data-lang') ?? attribute(element, 'data-language');
  if (declared) return clean(declared);
  const language = byPrefix(element);
  if (language !== '') return language;
  const className = attribute(element, 'class');
  if (className === null) return '';
  if (PANDOC.test(className)) return clean(className.split(/\s+/).find((word) => !PANDOC_WORD.test(word)) ?? '');
  return clean(BARE_LANGUAGE.exec(className)?.[1] ?? '');
}

function byPrefix(element: Element): string {
  const className = attribute(element, 'class');
  return className === null ? '' : clean(LANGUAGE_CLASS.exec(className)?.[1] ?? '');
}

function clean(name: string): string {
  const language = ALIASES[name] ?? name.trim().toLowerCase();
  return NO_LANGUAGE.has(language) || !/^[\w+#.-]{1,20}$/.test(language) ? '' : language;
}

class CodeText {
  /** Else, as in doxygen's listings, white space between the lines' elements is only that of the markup. */
  readonly #isPreformatted: boolean;
  readonly #pieces: string[] = [];

  constructor(isPreformatted: boolean) {
    this.#isPreformatted = isPreformatted;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  read(element: Element): void {
    for (const child of element.children) {
      if (child.tag !== null) this.#readElement(child);
      else if (this.#isPreformatted || element.name !== 'div' || child.data.trim() !== '' || !child.data.includes('\n'))
        this.#add(child.data);
    }
  }

  #readElement(element: Element): void {
    const { kind } = element.tag;
    if (kind === 'break') this.#add('\n');
    if (element.isDropped || kind === 'script' || kind === 'dropped') return;
    const className = attribute(element, 'class');
    if (className !== null && BESIDE.test(className)) return;
    const isLine = kind === 'block' || kind === 'item' || kind === 'row';
    if (isLine && this.#pieces.length > 0 && !this.#endsLine()) this.#add('\n');
    const before = this.#pieces.length;
    this.read(element);
    // A line without anything on it is a line too.
    if (isLine && (this.#pieces.length === before || !this.#endsLine())) this.#add('\n');
  }

  #add(piece: string): void {
    if (piece !== '') this.#pieces.push(piece);
  }

  #endsLine(): boolean {
    return this.#pieces.at(-1)?.endsWith('\n') ?? true;
  }
}
