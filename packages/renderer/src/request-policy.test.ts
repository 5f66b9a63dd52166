import { expect, it } from 'vitest';
import { type PageRequest, requestPolicy } from './request-policy.ts';

const request = (url: string, resourceType = 'script', more: Partial<PageRequest> = {}): PageRequest => ({
  url,
  resourceType,
  isSubframe: false,
  isPrefetch: false,
  ...more,
});
const PAGE = 'https://www.site.co.uk/a';

it('lets what makes the text load, from wherever', () => {
  const may = requestPolicy(PAGE, false);
  const types = ['document', 'eventsource', 'fetch', 'other', 'script', 'stylesheet', 'websocket', 'xhr'];
  expect(types.filter((type) => !may(request('https://cdn.example/x', type)))).toEqual([]);
});

it('lets images and fonts load for a picture only, and what is neither text nor picture never', () => {
  const types = ['beacon', 'cspviolationreport', 'font', 'image', 'manifest', 'media', 'ping', 'prefetch', 'texttrack'];
  const loaded = (showsPage: boolean) =>
    types.filter((type) => requestPolicy(PAGE, showsPage)(request('https://www.site.co.uk/x', type)));
  expect(loaded(false)).toEqual([]);
  expect(loaded(true)).toEqual(['font', 'image']);
  expect(requestPolicy(PAGE, true)(request('https://www.site.co.uk/x', 'fetch', { isPrefetch: true }))).toBe(false);
});

it('lets frames of the own site load, and no others', () => {
  const may = requestPolicy(PAGE, false);
  const frame = (url: string) => may(request(url, 'document', { isSubframe: true }));
  expect(frame('https://shop.site.co.uk/')).toBe(true);
  expect(frame('about:blank')).toBe(true);
  expect(frame('https://other.co.uk/')).toBe(false);
  expect(
    requestPolicy('https://a.github.io/', false)(request('https://b.github.io/', 'document', { isSubframe: true })),
  ).toBe(false);
  expect(
    requestPolicy('http://127.0.0.1/', false)(request('http://127.0.0.2/', 'document', { isSubframe: true })),
  ).toBe(false);
});

it('stops trackers, except on their own site', () => {
  const url = 'https://www.google-analytics.com/analytics.js';
  expect(requestPolicy(PAGE, false)(request(url))).toBe(false);
  expect(requestPolicy(PAGE, false)(request('https://notgoogle-analytics.com/x.js'))).toBe(true);
  expect(requestPolicy('https://google-analytics.com/', false)(request(url))).toBe(true);
});

it('stops every scheme that is not of the web', () => {
  const may = requestPolicy(PAGE, true);
  const urls = [
    'file:///etc/passwd',
    'ftp://site.co.uk/',
    'chrome://version',
    'view-source:https://site.co.uk/',
    'no url',
  ];
  expect(urls.filter((url) => may(request(url)))).toEqual([]);
  expect(may(request('data:text/css,x', 'stylesheet')) && may(request('blob:https://site.co.uk/1'))).toBe(true);
});
