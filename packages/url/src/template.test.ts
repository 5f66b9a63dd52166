import { describe, expect, it } from 'vitest';
import { pathTemplate, templateHash } from './template.ts';

describe('the template of a path', () => {
  it.each([
    ['https://example.com/', 'example.com/'],
    ['https://www.example.com/about', 'example.com/about'],
    ['https://example.com/page-12', 'example.com/page-#'],
    ['https://example.com/api/java/util/List.html', 'example.com/api/java/util/*'],
    ['https://example.com/api/java/util/Map.html', 'example.com/api/java/util/*'],
    ['https://example.com/cal/2026/11/18', 'example.com/cal/#/#/*'],
    ['https://example.com/cal/2026-11-18/events', 'example.com/cal/#/*'],
    ['https://example.com/u/3f2504e0-4f89-11d3-9a0c-0305e82c3301/posts', 'example.com/u/#/*'],
    ['https://example.com/c/deadbeef01/files', 'example.com/c/#/*'],
    ['https://example.com/defaced/files/x', 'example.com/defaced/files/*'],
    ['https://example.com/v1.2/item5/x', 'example.com/v#/item#/*'],
    ['https://example.com/a/b/?z=1&a=2&z=3', 'example.com/a/*?a=*&z=*'],
  ])('%s is %s', (url, template) => {
    expect(pathTemplate(url)).toBe(template);
  });

  it('hashes to the same eight characters in every process', () => {
    expect(templateHash('example.com/api/java/util/*')).toBe('vn0fAewn');
  });
});
