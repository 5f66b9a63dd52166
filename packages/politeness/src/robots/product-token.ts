/**
 * Product tokens: the name by which a robots.txt addresses a crawler. Does not decide which groups of a file apply.
 */

/** RFC 9309 has letters, `_` and `-`. Digits and other scripts besides, or `MJ12bot` would obey the rules of `MJ`. */
const LEADING_TOKEN = /^[\p{L}\p{N}_-]+/u;

/** Names that browsers carry, and that crawlers carry to look like one. Rules for them are never meant for a crawler. */
const BROWSER_NAMES = new Set(
  'mozilla applewebkit webkit khtml gecko chrome chromium headlesschrome safari version mobile firefox msie trident edge edg opera opr konqueror like compatible'.split(
    ' ',
  ),
);

const MAX_USER_AGENT_CHARS = 1024;

/** The token in front: `foo` of `foo/1.2` and of `foo bar`; '' where there is none. */
export function leadingToken(text: string): string {
  return LEADING_TOKEN.exec(text)?.[0] ?? '';
}

/**
 * The product token of a User-Agent header: 'Trawl/0.1' gives 'Trawl'. Behind 'Mozilla/5.0' it is, in this order, what follows
 * `compatible;`, a product outside the comments, a `Name/version` within one. '*' if there is nothing but a browser.
 */
export function productTokenOf(userAgent: string): string {
  const header = userAgent.slice(0, MAX_USER_AGENT_CHARS).trim();
  const { products, remarks } = dissect(header);
  const compatible = remarks.findIndex((remark) => remark.toLowerCase() === 'compatible');
  const candidates = [
    header,
    ...(compatible === -1 ? [] : remarks.slice(compatible + 1, compatible + 2)),
    ...products.filter((word) => /^[\p{L}\p{N}_-]+(?:\/|$)/u.test(word)),
    ...remarks.filter((remark) => /^[\p{L}\p{N}_-]+\/v?\d/u.test(remark)),
  ];
  for (const candidate of candidates) {
    const token = leadingToken(candidate);
    if (/\p{L}/u.test(token) && !BROWSER_NAMES.has(token.toLowerCase())) return token;
  }
  return '*';
}

/** Splits a header into the products outside parentheses and the `;`-separated remarks inside. Nesting is ignored. */
function dissect(header: string): { products: string[]; remarks: string[] } {
  const products: string[] = [];
  const remarks: string[] = [];
  for (const [index, part] of header.split(/[()]/).entries()) {
    // Odd parts stand between parentheses, as long as these are balanced; else the worst is a name not found.
    if (index % 2 === 0) products.push(...part.split(/\s+/).filter((word) => word !== ''));
    else remarks.push(...part.split(';').map((remark) => remark.trim()));
  }
  return { products, remarks };
}
