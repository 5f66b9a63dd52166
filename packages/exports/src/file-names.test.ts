import { describe, expect, it } from 'vitest';
import { createFileNamer } from './file-names.ts';

const nameOf = (url: string): string => createFileNamer('a.test')(url);

describe('the file name of a page', () => {
  it.each([
    ['http://a.test/', 'home.md'],
    ['http://a.test/docs', 'docs.md'],
    ['http://a.test/docs/Guide.html', 'docs/Guide.md'],
    ['http://a.test/docs/v1.2/', 'docs/v1.2.md'],
    ['http://a.test/search?q=ships&page=2', 'search-q-ships-page-2.md'],
    ['http://a.test/caf%C3%A9/%E6%97%A5%E6%9C%AC', 'café/日本.md'],
    ['http://blog.a.test/post', 'blog.a.test/post.md'],
    ['http://a.test:8080/post', 'a.test-8080/post.md'],
    ['http://a.test/CON', '_CON.md'],
    ['http://a.test/aux.html', '_aux.md'],
    ['http://a.test/nul.txt/x', '_nul.txt/x.md'],
    ['http://a.test/.env', 'env.md'],
    ['http://a.test/dots.../x.', 'dots/x.md'],
    ['http://a.test/a:b*c|d', 'a-b-c-d.md'],
    ['http://a.test/%FF', 'FF.md'],
    ['http://a.test/***', '_.md'],
  ])('of %s is %s', (url, name) => {
    expect(nameOf(url)).toBe(name);
  });

  it.each([
    'http://a.test/..%2f..%2fetc%2fpasswd',
    'http://a.test/%2e%2e%5c%2e%2e%5cx',
    'http://a.test/a/..%2f..%2f..',
    'http://a.test//etc/passwd',
    'http://a.test/%00',
  ])('of %s stays inside the directory', (url) => {
    const segments = nameOf(url).split('/');
    expect(segments).not.toContain('..');
    expect(segments).not.toContain('');
    for (const segment of segments) expect(segment).toMatch(/^[^\\/:*?"<>|\p{Cc}]+$/u);
  });

  it('is never given twice, not even in another case or another Unicode form', () => {
    const urls = [
      'http://a.test/page',
      'http://a.test/Page',
      'http://a.test/page.html',
      'http://a.test/caf%C3%A9',
      'http://a.test/cafe%CC%81',
      'http://a.test/straße',
      'http://a.test/STRASSE',
      'http://a.test/index',
      'http://a.test/search?q=1',
      'http://a.test/search-q-1',
    ];
    const name = createFileNamer('a.test');
    const folded = urls.map((url) => name(url).normalize('NFKC').toUpperCase());
    expect(new Set(folded).size).toBe(urls.length);
    expect(folded).not.toContain('INDEX.MD');
  });

  it('never needs a folder where a file is, nor a file where a folder is', () => {
    const name = createFileNamer('a.test');
    expect(name('http://a.test/notes')).toBe('notes.md');
    expect(name('http://a.test/notes.md/deep')).toMatch(/^deep-[0-9a-f]{8}\.md$/);
    expect(name('http://a.test/other.md/deep')).toBe('other.md/deep.md');
    expect(name('http://a.test/other')).toMatch(/^other-[0-9a-f]{8}\.md$/);
  });

  it('is short enough for every file system, and still unique', () => {
    const name = createFileNamer('a.test');
    const long = 'ä'.repeat(600);
    const names = [1, 2, 3].map((n) => name(`http://a.test/${long}${n}`));
    names.push(name(`http://a.test/${'deep/'.repeat(60)}end`));
    expect(new Set(names).size).toBe(4);
    for (const path of names) expect(Buffer.byteLength(path)).toBeLessThanOrEqual(160);
  });
});
