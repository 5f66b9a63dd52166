/** For tests: requests that are wrong in every way we could think of. Made by rule, so that each run tries the same. */
import { crawlRequestSchema, createRunSchema, createSourceSchema } from '@trawl/contracts';
import { privateAddressProblem } from '@trawl/fetcher';

interface MalformedRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** One of each kind of JSON value, and the odd ones of each kind. */
const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER + 1,
  '',
  '🦑'.repeat(300),
  '\u202e\ufeff\u0007',
  'x'.repeat(10_000),
  [],
  [null],
  [['a']],
  {},
  { a: { b: { c: {} } } },
  { constructor: { prototype: {} } },
];

const BODIES: readonly string[] = [
  '{"url":"https://example.com/",}',
  "{'url':'https://example.com/'}",
  '{"url":"https://example.com/"}{}',
  '\ufeff{"url":"https://example.com/"}x',
  '{"url":"https://example.com/","url":5}',
  '{"url":"https://example.com/","maxPages":1e999}',
  '{"url":"https://example.com/","maxPages":-0.0000001}',
  '{"url":"https://example.com/","toString":1}',
  '{"url":"https://example.com/","":1}',
  '{"url":"https://example.com/\\ud800"}',
  '{"url":"https://example.com/","userAgent":"\\u0000"}',
  'NaN',
  'undefined',
  '"https://example.com/"',
  '0',
  '[',
  ']',
  `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`,
  '['.repeat(200_000),
  '"'.repeat(100_001),
  '\\'.repeat(1000),
];

const URLS: readonly string[] = [
  'http://',
  'http:///x',
  '//example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'http://user:pw@example.com/',
  'http://[::1',
  'http://[fe80::1%25eth0]/',
  'http://exa mple.com/',
  'http://example.com:99999/',
  'http://2130706433/',
  'http://0177.0.0.1/',
  'http://１２７.0.0.1/',
  'http://localhost.:80/',
  'http://a..b/',
  `http://${'a'.repeat(300)}.com/`,
  `http://example.com/${'%F0'.repeat(700)}`,
];

const PATHS: readonly string[] = [
  '/%',
  '/%2e%2e/etc/passwd',
  '/v1/runs/%E0%A4%A',
  '/v1/runs/..%2f..',
  '/v1/runs/run_',
  '/v1/runs/run_00000000000000000000%00',
  '/v1/runs/RUN/',
  '/v1/runs/RUN/progress/x',
  '/v1/runs/RUN%20/progress',
  '/V1/RUNS',
  '/v1//runs',
  '/v1/runs;a=b',
  '/v1/runs/{id}',
  '/v1/runs/:id',
  '/v1/runs/*',
  `/v1/runs/${'a'.repeat(5000)}`,
  '/v1/runs/🦑',
  '/v1/sources/x/runs/RUN/progress',
  '/v1/sources/%00/runs/RUN/progress',
  '/v1/sources/SOURCE/',
  '/v1/sources/SOURCE/runs/',
  '/v1/sources/src_/changes',
  '/v1/sources/src_/search?q=x',
  '/v1/sources/SOURCE/search',
  '/v1/sources/SOURCE/search?q=',
  '/v1/sources/SOURCE/search?q=x&mode=guess',
  '/v1/sources/SOURCE/search?q=x&limit=0',
  '/v1/sources/SOURCE/search?q=x&cursor=%00',
  '/v1/sources/SOURCE/export?format=xls',
  '/v1/runs/RUN/export?format=',
  '/v1/sources/%E0%A4%A',
  '/v1/sources/..%2f..',
  `/v1/sources/${'a'.repeat(5000)}/pages`,
  '/v1/pages/page_',
  '/v1/pages/page_-1',
  '/v1/pages/page_1e5',
  '/v1/pages/page_9007199254740993',
  '/v1/pages/page_9223372036854775808',
  '/v1/pages/%00',
  '/constructor',
  '/__proto__',
];

const QUERIES: readonly string[] = [
  '?limit=NaN',
  '?limit=Infinity',
  '?limit=٣',
  '?limit=0x10',
  '?limit[]=1',
  '?limit=%00',
  '?limit=1%00',
  '?cursor=%ff',
  '?cursor=%F0%9F%A6%91',
  `?cursor=${'A'.repeat(501)}`,
  `?cursor=${btoa('run 1 run_x')}`,
  `?cursor=${btoa('page 9999999999999999')}`,
  `?cursor=${btoa('run 999999999999999 run_00000000000000000000')}`,
  '?cursor=a&cursor=b',
  '?status=',
  '?status=RUNNING',
  '?status[$ne]=x',
  '?outcome=__proto__',
  '?outcome=processed&outcome=failed',
  '?q=%00',
  '?q=%ED%A0%80',
  "?q=';DROP TABLE runs;--",
  '?q=%25%25%25\\',
  '?q=a&q=b',
  '?change=__proto__',
  '?since=0000-01-01T00:00:00Z',
  '?since=9999-12-31T23:59:59-23:59',
  '?since=-000001-01-01T00:00:00Z',
  '?since=2026-02-30T00:00:00Z',
  '?since=%00',
  `?cursor=${btoa('change 99999999999999 9999999999999999')}`,
  `?cursor=${btoa('source-page 00000000-0000-0000-0000-000000000000')}`,
  '?__proto__=x&constructor=y',
  '?%',
  '?=&&==',
  '?&limit',
];

const HEADERS: readonly Record<string, string>[] = [
  { 'idempotency-key': '' },
  { 'idempotency-key': 'é' },
  { 'idempotency-key': 'x'.repeat(5000) },
  { 'content-type': 'application/xml' },
  { 'content-type': ';;;' },
  { 'content-type': 'application/json/x' },
  { 'content-length': '-5' },
  { 'content-length': '99999999999' },
  { 'content-length': 'x' },
  { 'content-encoding': 'gzip' },
  { authorization: 'Bearer' },
  { authorization: 'Basic Og==' },
  { 'last-event-id': '\u00ff' },
];

export function malformedRequests(runId: string, sourceId: string): MalformedRequest[] {
  const send = (
    method: string,
    path: string,
    body: string,
    headers: Record<string, string> = {},
  ): MalformedRequest => ({
    path,
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const post = (body: string, headers: Record<string, string> = {}) => send('POST', '/v1/runs', body, headers);
  const source = `/v1/sources/${sourceId}`;
  const fields = Object.keys(createRunSchema.shape);
  const url = 'https://example.com/';
  return [
    ...BODIES.map((body) => post(body)),
    ...URLS.flatMap((bad) => [post(JSON.stringify({ url: bad })), post(JSON.stringify({ urls: [url, bad] }))]),
    ...fields.flatMap((field) =>
      ODD_VALUES.map((value) => post(JSON.stringify({ ...(field === 'urls' ? {} : { url }), [field]: value }))),
    ),
    ...BODIES.flatMap((body) => [
      send('POST', '/v1/sources', body),
      send('PATCH', source, body),
      send('POST', `${source}/runs`, body),
    ]),
    ...Object.keys(createSourceSchema.shape).flatMap((field) =>
      ODD_VALUES.flatMap((value) => [
        send('POST', '/v1/sources', JSON.stringify({ name: 'x', config: { url }, [field]: value })),
        // Of a source that is not there, or an odd value that is taken would change what later requests meet.
        send('PATCH', '/v1/sources/src_00000000000000000000', JSON.stringify({ [field]: value })),
      ]),
    ),
    ...fields.flatMap((field) =>
      ODD_VALUES.flatMap((value) => [
        send('POST', `${source}/runs`, JSON.stringify({ [field]: value })),
        send('POST', '/v1/sources', JSON.stringify({ name: 'x', config: { url, [field]: value } })),
      ]),
    ),
    ...BODIES.map((body) => send('POST', '/v1/crawl', body)),
    // What is none of them would be crawled, and somebody would have to wait for it.
    ...URLS.filter(
      (bad) => !crawlRequestSchema.safeParse({ url: bad }).success || privateAddressProblem(bad) !== null,
    ).map((bad) => send('POST', '/v1/crawl', JSON.stringify({ url: bad }))),
    ...Object.keys(crawlRequestSchema.shape).flatMap((field) =>
      ODD_VALUES.map((value) => ({ url, [field]: value }))
        .filter((body) => !crawlRequestSchema.safeParse(body).success)
        .map((body) => send('POST', '/v1/crawl', JSON.stringify(body))),
    ),
    ...HEADERS.map((headers) => send('POST', '/v1/crawl', '{}', headers)),
    ...HEADERS.map((headers) => post('{}', headers)),
    ...PATHS.flatMap((path) =>
      ['GET', 'POST', 'DELETE', 'PROPFIND'].map((method) => ({
        path: path.replace('RUN', runId).replace('SOURCE', sourceId),
        method,
      })),
    ),
    ...QUERIES.flatMap((query) => [
      { path: `/v1/runs${query}` },
      { path: `/v1/runs/${runId}/pages${query}` },
      { path: `/v1/runs/${runId}${query}` },
      { path: `/v1/sources${query}` },
      { path: `${source}${query}` },
      { path: `${source}/runs${query}` },
      { path: `${source}/pages${query}` },
      { path: `${source}/changes${query}` },
    ]),
    { path: `/v1/runs/${runId}/events`, headers: { 'last-event-id': 'page_x' } },
  ];
}
