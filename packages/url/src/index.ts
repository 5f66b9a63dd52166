export { hostKey } from './host.ts';
export { type LinkRank, linkRank } from './link-rank.ts';
export { normalizeUrl, pageIdentity } from './normalize.ts';
export { packRequestUrl, unpackRequestUrl } from './request-url.ts';
export { type CheckedUrl, compileRules, type UrlRules, type UrlVerdict } from './rules.ts';
export { createRulesCache } from './rules-cache.ts';
export { isEndlessLooking, pathTemplate } from './template.ts';
