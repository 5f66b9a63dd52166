import { describe, expect, it } from 'vitest';
import { type ExpectedSitemap, expectSitemap, readInEveryWay } from './sitemap.fixture.ts';
import type { SitemapProblemCode } from './sitemap.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const C = 'https://example.com/c';
const url = (address: string) => `<url><loc>${address}</loc></url>`;

type Files = [name: string, file: string, expected: ExpectedSitemap][];
const pages = (entries: string[], ...problems: SitemapProblemCode[]): ExpectedSitemap => ({
  format: 'urlset',
  entries,
  problems,
});
const cut = (...entries: string[]): ExpectedSitemap => ({ ...pages(entries, 'TRUNCATED'), complete: false });

describe('a file that ends early', () => {
  it.each<Files[number]>([
    ['after an entry', `<urlset>${url(A)}`, cut(A)],
    ['between tags of an entry, its address being whole', `<urlset>${url(A)}<url><loc>${B}</loc><lastm`, cut(A, B)],
    ['within an address', `<urlset>${url(A)}<url><loc>${B}`, cut(A)],
    ['within the end of an address', `<urlset>${url(A)}<url><loc>${B}</lo`, cut(A)],
    ['within CDATA', `<urlset>${url(A)}<url><loc><![CDATA[${B}`, cut(A)],
    ['within a comment', `<urlset>${url(A)}<!-- ${url(B)}`, cut(A)],
    ['within the last tag', `<urlset>${url(A)}</urlset`, cut(A)],
    ['within the root', '<urlset xmlns="x', { format: null, problems: ['NOT_A_SITEMAP'] }],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('tags that do not match', () => {
  it.each<Files[number]>([
    ['an entry without its end', `<urlset><url><loc>${A}</loc>${url(B)}</urlset>`, pages([A, B], 'TAGS_MISMATCHED')],
    [
      'the last entry without its end',
      `<urlset>${url(A)}<url><loc>${B}</loc></urlset>`,
      pages([A, B], 'TAGS_MISMATCHED'),
    ],
    ['an address without its end', `<urlset><url><loc>${A}</url>${url(B)}</urlset>`, pages([A, B], 'TAGS_MISMATCHED')],
    [
      'an address without its end ahead of a value',
      `<urlset><url><loc>${A}\n<priority>1</priority></url></urlset>`,
      { format: 'urlset', entries: [{ url: A, priority: 1 }], problems: ['TAGS_MISMATCHED'] },
    ],
    [
      'an end with another name',
      `<urlset><url><loc>${A}</lok></url>${url(B)}</urlset>`,
      pages([A, B], 'TAGS_MISMATCHED'),
    ],
    ['an end without its >', `<urlset><url><loc>${A}</loc</url>${url(B)}</urlset>`, pages([A, B], 'TAGS_MISMATCHED')],
    [
      'an element without its end ahead of each entry',
      `<urlset>${`<br>${url(A)}`.repeat(100)}</urlset>`,
      pages(new Array(100).fill(A), 'TAGS_MISMATCHED'),
    ],
    ['ends without a start', `<urlset></foo>${url(A)}</bar></urlset>`, pages([A], 'TAGS_MISMATCHED')],
    [
      'an extension without its end',
      `<urlset><url><loc>${A}</loc><image:image></url>${url(B)}</urlset>`,
      pages([A, B], 'TAGS_MISMATCHED'),
    ],
    [
      'an extension within an address',
      `<urlset><url><loc>${A}<image:image/></loc></url>${url(B)}</urlset>`,
      pages([B], 'UNUSABLE_ADDRESSES'),
    ],
    [
      'a < within an address',
      `<urlset><url><loc>${A}?x<y</loc></url>${url(B)}</urlset>`,
      pages([B], 'UNUSABLE_ADDRESSES', 'TAGS_MISMATCHED'),
    ],
    ['a < that begins nothing', `<urlset><url><loc>${A}?x=< y</loc></url></urlset>`, pages([`${A}?x=%3C%20y`])],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('content where none belongs', () => {
  it.each<Files[number]>([
    ['text ahead', `Notice: x\n<?xml version="1.0"?><urlset>${url(A)}</urlset>`, pages([A], 'CONTENT_OUTSIDE')],
    [
      'markup ahead',
      `<br />\n<b>Warning</b>: y in <b>z.php</b><br />\n<?xml version="1.0"?><urlset>${url(A)}</urlset>`,
      pages([A], 'CONTENT_OUTSIDE'),
    ],
    ['a wrapper', `<xml><urlset>${url(A)}</urlset></xml>`, pages([A], 'CONTENT_OUTSIDE')],
    ['text between entries', `<urlset>${url(A)} and ${url(B)}</urlset>`, pages([A, B], 'CONTENT_OUTSIDE')],
    [
      'text in place of an address',
      `<urlset><url>${A}</url></urlset>`,
      pages([], 'UNUSABLE_ADDRESSES', 'CONTENT_OUTSIDE'),
    ],
    ['text behind', `<urlset>${url(A)}</urlset>\ngenerated in 3 ms`, pages([A], 'CONTENT_OUTSIDE')],
    ['zeros behind', `<urlset>${url(A)}</urlset>\0\0\0`, pages([A], 'CONTENT_OUTSIDE')],
    ['markup behind', `<urlset>${url(A)}</urlset><script>var x;</script>`, pages([A], 'CONTENT_OUTSIDE')],
    ['a tag without its end behind', `<urlset>${url(A)}</urlset><p>Bye`, pages([A], 'CONTENT_OUTSIDE')],
    ['the end twice', `<urlset>${url(A)}</urlset></urlset>`, pages([A], 'CONTENT_OUTSIDE')],
    [
      'a second file',
      `<?xml version="1.0"?><urlset>${url(A)}</urlset>\n<?xml version="1.0"?><urlset>${url(B)}</urlset>`,
      pages([A, B], 'CONTENT_OUTSIDE'),
    ],
    ['entries behind', `<urlset>${url(A)}</urlset>${url(B)}`, pages([A, B], 'CONTENT_OUTSIDE')],
    ['entries without a root', `${url(A)}\n${url(B)}`, pages([A, B], 'CONTENT_OUTSIDE')],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('an & that begins no entity', () => {
  it.each<Files[number]>([
    ['alone', `<urlset>${url(`${A}?x=1&y=2&z`)}</urlset>`, pages([`${A}?x=1&y=2&z`], 'STRAY_AMPERSANDS')],
    [
      'beside one that does',
      `<urlset>${url(`${A}?x=1&amp;y=2&amp`)}</urlset>`,
      pages([`${A}?x=1&y=2&amp`], 'STRAY_AMPERSANDS'),
    ],
    ['of HTML', `<urlset>${url(`${A}?x&eacute;`)}</urlset>`, pages([`${A}?x&eacute;`], 'STRAY_AMPERSANDS')],
    [
      'of no character',
      `<urlset>${url(`${A}?&#xD800;&#0;&#x110000;`)}</urlset>`,
      pages([`${A}?&#xD800;&#0;&#x110000;`], 'STRAY_AMPERSANDS'),
    ],
    ['in a text that is not used', `<urlset><url><loc>${A}</loc><x>R&D</x></url></urlset>`, pages([A])],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

describe('a document type', () => {
  const lol = Array.from({ length: 9 }, (_, n) => `<!ENTITY lol${n + 1} "${`&lol${n};`.repeat(10)}">`).join('\n');
  it.each<Files[number]>([
    ['without entities', `<!DOCTYPE urlset SYSTEM "a>b.dtd"><urlset>${url(A)}</urlset>`, pages([A])],
    [
      'with elements and attributes',
      `<?xml version="1.0"?><!DOCTYPE urlset [<!ELEMENT url (loc)> <!ATTLIST url x CDATA "<>]>"><!-- ]> don't --><?x ]> ' ?>]><urlset>${url(A)}</urlset>`,
      pages([A]),
    ],
    [
      'with a billion laughs',
      `<!DOCTYPE urlset [<!ENTITY lol0 "lol">${lol}]><urlset>${url(A)}${url(`${B}?&lol9;`)}</urlset>`,
      pages([A], 'ENTITIES_DECLARED', 'UNUSABLE_ADDRESSES'),
    ],
    [
      'with an external entity',
      `<!DOCTYPE urlset [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset>${url('https://example.com/&x;')}${url(B)}</urlset>`,
      pages([B], 'ENTITIES_DECLARED', 'UNUSABLE_ADDRESSES'),
    ],
    [
      'with a parameter entity',
      `<!DOCTYPE urlset [<!ENTITY % x SYSTEM "http://example.org/x.dtd"> %x; ]><urlset>${url(A)}</urlset>`,
      pages([A], 'ENTITIES_DECLARED'),
    ],
    [
      'with entries in an entity',
      `<!doctype urlset [<!entity x '${url(B)}'>]><urlset>&x;${url(A)}</urlset>`,
      pages([A], 'ENTITIES_DECLARED', 'CONTENT_OUTSIDE'),
    ],
    [
      'that gives amp another meaning',
      `<!DOCTYPE urlset [<!ENTITY amp "evil">]><urlset>${url(`${A}?x&amp;y`)}</urlset>`,
      pages([`${A}?x&y`], 'ENTITIES_DECLARED'),
    ],
    [
      'that names an entity in a comment only',
      `<!DOCTYPE urlset [<!-- <!ENTITY x "y"> -->]><urlset>${url(A)}</urlset>`,
      pages([A]),
    ],
    [
      'within the root',
      `<urlset><!DOCTYPE x [<!ENTITY y "z">]>${url(`${A}?&y;`)}${url(B)}</urlset>`,
      pages([B], 'ENTITIES_DECLARED', 'UNUSABLE_ADDRESSES', 'CONTENT_OUTSIDE'),
    ],
    [
      'without an end',
      `<!DOCTYPE urlset [<!ENTITY y "z"><urlset>${url(A)}</urlset>`,
      { format: null, problems: ['NOT_A_SITEMAP'] },
    ],
  ])('%s', async (_, file, expected) => {
    await expectSitemap(file, expected);
  });
});

it('says how many of each, in one sentence per kind', async () => {
  const bad = ['<url/>', url(''), url('ftp://x/'), url('a'.repeat(9000)), url('/&e;')];
  const slips = '<url><loc>/x?a&b</loc><lastmod>?</lastmod><priority>2</priority></url>';
  const { report } = await readInEveryWay(
    `<!DOCTYPE urlset [<!ENTITY e "">]><urlset>x</y>${bad.join('')}${slips}${url(C)}`,
  );
  expect(report.problems).toEqual([
    { code: 'TRUNCATED', message: 'The file ends within <urlset>: the rest is missing.' },
    { code: 'ENTITIES_DECLARED', message: 'The file declares entities of its own; they are never expanded.' },
    {
      code: 'UNUSABLE_ADDRESSES',
      message:
        '5 entries have no usable address: 2 without any, 1 not http(s) or malformed, 1 longer than 8192 characters, 1 written with a declared entity.',
    },
    { code: 'TAGS_MISMATCHED', message: '1 tag is not closed or closing nothing.' },
    {
      code: 'CONTENT_OUTSIDE',
      message: 'Text or elements stand before, between or after the entries, where none belong.',
    },
    {
      code: 'STRAY_AMPERSANDS',
      message: '1 address has an & that should be written &amp;; it was taken as it stands.',
    },
    {
      code: 'VALUES_IGNORED',
      message: "2 values of lastmod, changefreq or priority can't be read; the entries count without.",
    },
  ]);
});
