/**
 * The shape of a URL: what pages made from one pattern have in common. A site without end (calendars, filters, sessions)
 * has few shapes with very many pages each, which is how a quota tells it from a large one.
 */
import { hash } from 'node:crypto';
import { machineName } from './host.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?=.*\d)[0-9a-f]{8,}$/i;

/**
 * Host and path with variable segments as `#`, digits within a segment as `#`, the last of several segments as `*`, and
 * the sorted names of the parameters: `example.com/calendar/#/#/*?view=*`. A page right below the root keeps its name
 * (save its digits): the top level of a site is written by people.
 */
export function pathTemplate(url: URL | string): string {
  const parsed = typeof url === 'string' ? new URL(url) : url;
  return templateOf(machineName(parsed.hostname), parsed.pathname, parsed.search);
}

/** `pathTemplate` of parts that are at hand. */
export function templateOf(host: string, path: string, query: string): string {
  const segments = path.split('/').slice(1);
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  const last = segments.length - 1;
  const shape = segments.map((segment, at) => (at === last && at > 0 ? '*' : shapeOf(segment))).join('/');
  return `${host}/${shape}${queryShape(query)}`;
}

/** 48 bits of a digest: the same in every process, and short, since it is carried with each link. */
export function templateHash(template: string): string {
  return hash('sha1', template, 'base64url').slice(0, 8);
}

function shapeOf(segment: string): string {
  if (UUID.test(segment) || HEX.test(segment)) return '#';
  // A date is digits and separators, so `2026-11-18` and `2026_11_18` become one sign, as a plain number does.
  return /\d/.test(segment) ? segment.replace(/\d+(?:[-_.:]\d+)*/g, '#') : segment;
}

function queryShape(query: string): string {
  if (query.length <= 1) return '';
  const names = new Set(query.slice(1).split('&').map(nameShape));
  names.delete('');
  return names.size === 0 ? '' : `?${[...names].sort().join('&')}`;
}

function nameShape(parameter: string): string {
  const equals = parameter.indexOf('=');
  const name = equals < 0 ? parameter : parameter.slice(0, equals);
  return name === '' ? '' : `${name}=*`;
}
