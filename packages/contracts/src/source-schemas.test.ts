import { describe, expect, it } from 'vitest';
import { createSourceSchema, patchSourceSchema } from './source-schemas.ts';

const config = { url: 'https://example.com/' };
const source = { name: 'Docs', config };
const paths = (schema: typeof createSourceSchema | typeof patchSourceSchema, body: unknown): string[] =>
  schema.safeParse(body).error?.issues.map((issue) => issue.path.join('.')) ?? [];

describe('the body of POST /v1/sources', () => {
  it('needs a name and a configuration', () => {
    expect(createSourceSchema.parse(source)).toEqual({
      ...source,
      ...{ access: null, schedule: null, timezone: 'UTC', overlap: false },
    });
    expect(paths(createSourceSchema, {})).toEqual(['name', 'config']);
  });

  it.each(['0 3 * * *', '*/10 * * * * *', ' 0 0 1 JAN MON '])('takes the schedule %j', (schedule) => {
    expect(createSourceSchema.parse({ ...source, schedule }).schedule).toBe(schedule);
  });

  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('takes the zone %s', (timezone) => {
    expect(createSourceSchema.parse({ ...source, timezone }).timezone).toBe(timezone);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: ' \t' }],
    ['name', { name: 'x'.repeat(201) }],
    ['config.url', { config: {} }],
    ['config.maxPages', { config: { ...config, maxPages: 'many' } }],
    ['schedule', { schedule: '' }],
    ['schedule', { schedule: '@daily' }],
    ['schedule', { schedule: '* * * *' }],
    ['schedule', { schedule: '* * * * * * *' }],
    ['schedule', { schedule: `${'*,'.repeat(200)}* * * * *` }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+02:00' }],
    ['timezone', { timezone: 'local' }],
    ['timezone', { timezone: '' }],
    ['overlap', { overlap: 'yes' }],
  ])('is refused for its %s: %j', (path, over) => {
    expect(paths(createSourceSchema, { ...source, ...over })).toContain(path);
  });
});

describe('the body of PATCH /v1/sources/:id', () => {
  it('is any part of a source, and fills in nothing', () => {
    for (const body of [{}, { name: 'New' }, { schedule: null }, { overlap: true }, { config }, { timezone: 'UTC' }])
      expect(patchSourceSchema.parse(body)).toEqual(body);
  });

  it('is refused for fields that are not known, and for no configuration', () => {
    expect(patchSourceSchema.safeParse({ id: 'src_x' }).success).toBe(false);
    expect(paths(patchSourceSchema, { config: null })).toEqual(['config']);
  });
});
