import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CHARSET_SAMPLES } from '../decode.fixture.ts';
import { type ExtractedDocument, extractDocument } from './document.ts';

const chunks = { maxTokens: 60, overlap: 0, tokenizer: 'cl100k_base' } as const;
const options = (url: string) => ({
  url,
  mainContent: true,
  includeSelectors: [],
  excludeSelectors: [],
  productToken: 'trawl',
  chunks,
});

/** Of what is extracted on the spot. */
function read(
  body: string | Buffer,
  contentType: string | null,
  url = 'https://example.com/docs/a',
): ExtractedDocument {
  const document = extractDocument(Buffer.from(body), contentType, options(url));
  if (document instanceof Promise) throw new Error('not on the spot');
  return document;
}

const NO_METADATA = {
  description: null,
  author: null,
  publishedAt: null,
  modifiedAt: null,
  canonicalUrl: null,
  siteName: null,
  image: null,
  openGraph: {},
  jsonLd: [],
};

describe('a page in HTML', () => {
  it.each(['text/html', 'application/xhtml+xml; charset=utf-8', null])(
    'sent as %s is extracted on the spot',
    (type) => {
      const html =
        '<!doctype html><title>T</title><main><h1>Größe</h1><p>Some <b>words</b> and a <a href="b">link</a>.</p></main>';
      const page = read(html, type);
      expect(page).toMatchObject({
        title: 'T',
        markdown: '# Größe\n\nSome **words** and a [link](https://example.com/docs/b).',
        links: [{ url: 'https://example.com/docs/b', text: 'link', rel: '' }],
      });
      expect(page.chunks.map((chunk) => chunk.text.slice(chunk.overlap)).join('')).toBe(page.markdown);
      expect(page.metadata.tokenCount).toBeGreaterThan(5);
    },
  );

  it.each([
    ['nothing', ''],
    ['white space', ' \n\t'],
    ['a head alone', '<html><head><title></title></head></html>'],
    ['zeros', '\0\0\0'],
  ])('of %s is a page without text', (_, html) => {
    expect(read(html, 'text/html')).toMatchObject({ title: null, text: '', markdown: '', links: [], chunks: [] });
  });

  it.each([
    ['tags that are never closed', '<div><p>one<p>two<ul><li>three', ['one', 'two', 'three']],
    ['tags that were never opened', '</div></p>one</b></ul>', ['one']],
    ['tags across one another', '<b>one<p>two</b>three</p>', ['one', 'two', 'three']],
    ['attributes without an end', '<p>one</p><a href="x>two', ['one']],
  ])('with %s keeps its words', (_, html, words) => {
    const { text } = read(html, 'text/html');
    for (const word of words) expect(text).toContain(word);
  });

  it('as XHTML with empty elements and entities is read like any other', () => {
    const xhtml =
      '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "">\n' +
      '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title>T</title></head><body><p>a<br/>b &amp; c</p></body></html>';
    expect(read(xhtml, 'application/xhtml+xml')).toMatchObject({ title: 'T', language: 'de' });
    expect(read(xhtml, 'application/xhtml+xml').text.replace(/\s+/g, ' ')).toBe('a b & c');
  });

  it('has the letters of its encoding', () => {
    for (const { label, text, base64 } of CHARSET_SAMPLES) {
      const body = Buffer.concat([Buffer.from('<p>'), Buffer.from(base64, 'base64')]);
      expect(read(body, `text/html; charset=${label}`).text.replace(/\s+/g, ' ')).toBe(text);
    }
  });
});

describe('a plain text', () => {
  it('is kept as it is, called by its file, without links', () => {
    const text = '<!doctype html>\r\n# no heading\rhttps://example.com/x\n\n  indented ';
    expect(read(`\ufeff${text}`, 'text/plain; charset=utf-8', 'https://example.com/a/read%20me.txt?x=1')).toMatchObject(
      {
        title: 'read me.txt',
        text: '<!doctype html>\n# no heading\nhttps://example.com/x\n\n  indented ',
        markdown: '<!doctype html>\n# no heading\nhttps://example.com/x\n\n  indented ',
        links: [],
        canonicalUrl: null,
        robots: { noindex: false, nofollow: false },
        metadata: { ...NO_METADATA, wordCount: 9, outline: [] },
        chunks: [{ headingPath: [] }],
      },
    );
  });

  it('without a type is one if its body is text', () => {
    expect(read('just words', null)).toMatchObject({ markdown: 'just words', title: 'a' });
  });

  it.each([
    ['https://example.com/', 'example.com'],
    ['https://example.com/a/b/', 'b'],
    ['https://example.com/%ff.txt', '%ff.txt'],
  ])('at %s is called %s', (url, title) => {
    expect(read('x', 'text/plain', url).title).toBe(title);
  });

  it('that is empty is a page without text', () => {
    expect(read('', 'text/plain')).toMatchObject({ text: '', chunks: [], metadata: { wordCount: 0, tokenCount: 0 } });
  });

  it('tells its language', () => {
    const text =
      'Every morning the baker opens his shop, and the smell of fresh bread fills the whole street until the children come out to play in the yard. Later the market fills with people, and the ferry leaves the bank without a sound.';
    expect(read(text, 'text/plain').language).toBe('en');
    expect(read(JSON.stringify({ text }), 'application/json').language).toBeNull();
  });
});

describe('a page in markdown', () => {
  it('is kept as it is, with its title, outline and links', () => {
    const markdown = '# The *guide*\r\n\r\nSee [more](more.md).\r\n\r\n## Part\r\n\r\ntext';
    const page = read(markdown, 'text/markdown', 'https://example.com/docs/a.md');
    expect(page).toMatchObject({
      title: 'The guide',
      markdown: markdown.replaceAll('\r', ''),
      text: markdown.replaceAll('\r', ''),
      links: [{ url: 'https://example.com/docs/more.md', text: 'more', rel: '' }],
      metadata: {
        ...NO_METADATA,
        outline: [
          { level: 1, text: 'The guide' },
          { level: 2, text: 'Part' },
        ],
      },
    });
    expect(page.chunks.at(-1)?.headingPath).toEqual(['The guide', 'Part']);
  });

  it('is told by its name where it is sent as plain text', () => {
    const markdown = '# Guide\n\n[next](next.md)';
    expect(read(markdown, 'text/plain', 'https://example.com/docs/README.md?raw=1')).toMatchObject({
      title: 'Guide',
      markdown,
      links: [{ url: 'https://example.com/docs/next.md' }],
    });
    expect(read(markdown, 'application/json', 'https://example.com/docs/a.md').links).toEqual([]);
  });

  it('without a heading is called by its file', () => {
    expect(read('words', 'text/x-markdown', 'https://example.com/docs/notes.md').title).toBe('notes.md');
  });
});

describe('JSON', () => {
  it.each(['application/json', 'application/ld+json', 'text/json; charset=utf-8'])('as %s is kept as it is', (type) => {
    const json = '{\n  "a": [1, 2],\n  "url": "https://example.com/b"\n}';
    expect(read(json, type, 'https://example.com/data.json')).toMatchObject({
      title: 'data.json',
      markdown: json,
      text: json,
      links: [],
      language: null,
    });
  });
});

describe('the content hash', () => {
  it('does not depend on white space', () => {
    const hashOf = (text: string) => read(text, 'text/plain').contentHash;
    expect(hashOf('a  b\n\nc ')).toBe(hashOf('a b c'));
    expect(hashOf('a b c')).not.toBe(hashOf('a b d'));
  });
});

describe('a PDF', () => {
  const fixture = (name: string) => readFile(new URL(`./fixtures/${name}`, import.meta.url));
  const readPdf = async (name: string, type: string | null = 'application/pdf') =>
    extractDocument(await fixture(name), type, options(`https://example.com/files/${name}`));

  it.each(['application/pdf', null])('sent as %s is read as paragraphs, one page after the other', async (type) => {
    const page = await readPdf('mill.pdf', type);
    const text = [
      'The Old Mill',
      'Every morning the baker opens his shop, and the smell of fresh bread fills the whole street until the children come out to play in the yard.',
      'Later the market fills with people, and the ferry leaves the bank without a sound. “Größer”, says the miller, “is not always better.”',
      'After the rain',
      'The water rises slowly. Nobody hurries, nobody calls, and the wheel turns as it always did.',
    ].join('\n\n');
    expect(page).toMatchObject({
      title: 'The Old Mill',
      language: 'en-GB',
      text,
      markdown: text,
      links: [],
      metadata: {
        ...NO_METADATA,
        description: 'Mornings by the river',
        author: 'A. Writer',
        publishedAt: '2000-01-01T00:00:00.000Z',
        modifiedAt: '2000-01-01T00:00:00.000Z',
      },
    });
    expect(page.chunks.map((chunk) => chunk.text.slice(chunk.overlap)).join('')).toBe(text);
    expect(page.chunks.length).toBeGreaterThan(1);
  });

  it('without text is a page without text, called by its file', async () => {
    expect(await readPdf('drawing.pdf')).toMatchObject({ title: 'drawing.pdf', text: '', chunks: [] });
  });

  it("that can't be read is told in a sentence", async () => {
    await expect(readPdf('encrypted.pdf')).rejects.toMatchObject({
      code: 'PDF_UNREADABLE',
      message: 'The PDF is encrypted, and no password is known.',
    });
  });
});

it('counts tokens once, whatever the chunks repeat', () => {
  const text = Array.from({ length: 60 }, (_, i) => `Sentence number ${i} says something of its own.`).join(' ');
  const count = (overlap: number) => {
    const page = extractDocument(Buffer.from(text), 'text/plain', {
      ...options('https://example.com/a.txt'),
      chunks: { ...chunks, overlap },
    });
    if (page instanceof Promise) throw new Error('not on the spot');
    return { tokens: page.metadata.tokenCount, overlaps: page.chunks.some((chunk) => chunk.overlap > 0) };
  };
  const whole = count(20);
  expect(whole.overlaps).toBe(true);
  const inParts = count(0);
  expect(inParts.overlaps).toBe(false);
  // Chunks are cut in other places, and a word that is cut off from its space may count one more.
  expect(Math.abs(whole.tokens - inParts.tokens)).toBeLessThan(inParts.tokens / 20);
});
