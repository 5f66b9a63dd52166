export { hostKey } from './host.ts';
export { normalizeUrl } from './normalize.ts';
export { packRequestUrl, unpackRequestUrl } from './request-url.ts';
export { type CheckedUrl, compileRules, type UrlRules, type UrlVerdict } from './rules.ts';
export { createRulesCache } from './rules-cache.ts';
export { pathTemplate } from './template.ts';
