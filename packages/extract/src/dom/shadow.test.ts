import { describe, expect, it } from 'vitest';
import { extractPage, readShell } from '../extract.ts';

const page = (html: string) =>
  extractPage(html, { url: 'https://example.com/', mainContent: false, includeSelectors: [], excludeSelectors: [] });
const shadow = (html: string, mode = 'open') => `<template shadowrootmode="${mode}">${html}</template>`;

describe('a shadow tree in the markup', () => {
  it.each<[string, string, string]>([
    ['stands for what its host holds', `<x-a>${shadow('<p>shown</p>')}<p>hidden</p></x-a>`, 'shown'],
    ['holds what is in its slots', `<x-a>${shadow('<h1>A</h1><slot></slot><p>z</p>')}<p>b</p>c</x-a>`, 'A\nb\nc\nz'],
    [
      'has slots by name, each in its place',
      `<x-a>${shadow('<slot name=t></slot><hr><slot></slot>')}<p>text</p><h2 slot=t>title</h2></x-a>`,
      'title\ntext',
    ],
    [
      'says what its slots say where nothing is for them',
      `<x-a>${shadow('<slot><p>by itself</p></slot>')}\n</x-a>`,
      'by itself',
    ],
    [
      'fills the first of two equal slots',
      `<x-a>${shadow('<slot></slot><hr><slot><p>else</p></slot>')}<p>b</p></x-a>`,
      'b\nelse',
    ],
    [
      'hands on what is in its own slots to those of a host within',
      `<x-a>${shadow(`<x-b>${shadow('<h1>B</h1><slot></slot><p>end</p>')}<p>first</p><slot></slot></x-b>`)}<p>light</p></x-a>`,
      'B\nfirst\nlight\nend',
    ],
    [
      'is found in what is in a slot',
      `<x-a>${shadow('<h1>A</h1><slot></slot>')}<x-b>${shadow('<p>b <slot></slot></p>')}<i>c</i></x-b></x-a>`,
      'A\nb c',
    ],
    ['is found behind what its host holds', `<x-a><p>light</p>${shadow('<h1>A</h1><slot></slot>')}</x-a>`, 'A\nlight'],
    ['may be closed', `<x-a>${shadow('<p>shown</p>', 'CLOSED')}</x-a>`, 'shown'],
  ])('%s', (_, html, text) => {
    expect(page(html).text).toBe(text);
  });

  it.each<[string, string]>([
    ['a template without a mode', '<x-a><template><p>inert</p><slot></slot></template><p>light</p></x-a>'],
    ['one whose mode is none', '<x-a><template shadowrootmode=x><p>inert</p></template><p>light</p></x-a>'],
    ['a slot outside of any', '<slot><p>light</p></slot>'],
    ['a second one', `<x-a>${shadow('<slot></slot>')}${shadow('<p>inert</p>')}<p>light</p></x-a>`],
  ])('is not %s', (_, html) => {
    expect(page(html).text).toBe('light');
  });

  it('has links and words like everything else', () => {
    const words = Array.from({ length: 100 }, (_, n) => `word${n}`).join(' ');
    const html = `<div id=root><x-a>${shadow(`<a href=/next>next</a><p>${words}</p>`)}</x-a></div><script src=a.js></script>`;
    expect(page(html).links.map(({ url }) => url)).toEqual(['https://example.com/next']);
    expect(readShell(Buffer.from(html), null)).toEqual({ isShell: false, words: 100 });
  });

  it('never comes to be deeper than a page may be, and loses no text by it', () => {
    const deep = '<b>'.repeat(100);
    const html = Array.from({ length: 100 }, (_, n) => `<x-a>${shadow(`${deep}<p>word${n}</p><slot></slot>`)}`).join(
      '',
    );
    const { text } = page(`${html}<p>last`);
    expect(text.split(/\s+/)).toEqual([...Array.from({ length: 100 }, (_, n) => `word${n}`), 'last']);
    expect(readShell(Buffer.from(html), null).words).toBe(100);
  });

  it('takes no longer than its size, however deep hosts and slots are in each other', () => {
    const depth = 50_000;
    const deep = `<x-a>${shadow('<slot></slot>').replace('</template>', '')}`.repeat(depth);
    expect(page(`<p>before</p>${deep}<p>in it`).text).toContain('before');
    const wide = `<x-a>${shadow('<slot></slot>'.repeat(depth))}${'<i slot=x>y</i>'.repeat(depth)}<p>w</p></x-a>`;
    expect(page(wide).text).toBe('w');
  });
});
