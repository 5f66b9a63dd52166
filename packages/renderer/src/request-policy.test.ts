import { expect, it } from 'vitest';
import { accessTo } from './renderer.fixture.ts';
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
  const may = requestPolicy(PAGE, { showsPage: false, access: null });
  const types = ['document', 'eventsource', 'fetch', 'other', 'script', 'stylesheet', 'websocket', 'xhr'];
  expect(types.filter((type) => !may(request('https://cdn.example/x', type)))).toEqual([]);
});

it('lets images and fonts load for a picture only, and what is neither text nor picture never', () => {
  const types = ['beacon', 'cspviolationreport', 'font', 'image', 'manifest', 'media', 'ping', 'prefetch', 'texttrack'];
  const loaded = (showsPage: boolean) =>
    types.filter((type) => requestPolicy(PAGE, { showsPage, access: null })(request('https://www.site.co.uk/x', type)));
  expect(loaded(false)).toEqual([]);
  expect(loaded(true)).toEqual(['font', 'image']);
  expect(
    requestPolicy(PAGE, { showsPage: true, access: null })(
      request('https://www.site.co.uk/x', 'fetch', { isPrefetch: true }),
    ),
  ).toBe(false);
});

it('lets frames of the own site load, and no others', () => {
  const may = requestPolicy(PAGE, { showsPage: false, access: null });
  const frame = (url: string) => may(request(url, 'document', { isSubframe: true }));
  expect(frame('https://shop.site.co.uk/')).toBe(true);
  expect(frame('about:blank')).toBe(true);
  expect(frame('https://other.co.uk/')).toBe(false);
  expect(
    requestPolicy('https://a.github.io/', { showsPage: false, access: null })(
      request('https://b.github.io/', 'document', { isSubframe: true }),
    ),
  ).toBe(false);
  expect(
    requestPolicy('http://127.0.0.1/', { showsPage: false, access: null })(
      request('http://127.0.0.2/', 'document', { isSubframe: true }),
    ),
  ).toBe(false);
});

it('stops trackers, except on their own site', () => {
  const url = 'https://www.google-analytics.com/analytics.js';
  expect(requestPolicy(PAGE, { showsPage: false, access: null })(request(url))).toBe(false);
  expect(requestPolicy(PAGE, { showsPage: false, access: null })(request('https://notgoogle-analytics.com/x.js'))).toBe(
    true,
  );
  expect(requestPolicy('https://google-analytics.com/', { showsPage: false, access: null })(request(url))).toBe(true);
});

it('stops every scheme that is not of the web', () => {
  const may = requestPolicy(PAGE, { showsPage: true, access: null });
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

it('lets no frame of a host that the access of the page is not for act on its behalf', () => {
  const access = accessTo('https://www.site.co.uk/', { headers: { 'X-Token': 'x' } });
  const may = requestPolicy('https://www.site.co.uk/', { showsPage: false, access });
  const frame = (url: string) => may(request(url, 'document', { isSubframe: true }));
  expect(
    ['https://site.co.uk/a', 'https://user.site.co.uk/', 'http://www.site.co.uk/', 'about:srcdoc'].map(frame),
  ).toEqual([true, false, false, true]);
  // Its scripts are the page's own doing.
  expect(may(request('https://user.site.co.uk/x.js', 'script'))).toBe(true);
});
