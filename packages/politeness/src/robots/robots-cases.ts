/**
 * What RFC 9309 and the public suites (Google's robotstxt, protego, reppy, robots-parser) agree on, in our own words and values,
 * and what we decided where they don't. Data only: the test beside it runs it, and so can a candidate library.
 */

export interface RobotsCase {
  readonly fact: string;
  readonly robots: string;
  readonly agent: string;
  /** Path on https://example.com, or an absolute URL. */
  readonly url: string;
  readonly allowed: boolean;
  /** Line and text of the rule that decided, null for none; absent where it isn't the point. */
  readonly rule?: string | null;
}

type Row = readonly [fact: string, robots: string, url: string, allowed: boolean, rule?: string | null];

/** The file as an agent called Trawl reads it; a file without a User-agent line is put under `User-agent: *`. */
function rows(list: readonly Row[]): RobotsCase[] {
  return list.map(([fact, robots, url, allowed, rule]) => ({
    fact,
    robots: robots === '' || /agent|^Foo:/i.test(robots.replaceAll('\0', '')) ? robots : `User-agent: *\n${robots}`,
    agent: 'Trawl',
    url,
    allowed,
    ...(rule === undefined ? {} : { rule }),
  }));
}

const TWO_GROUPS = 'User-agent: *\nDisallow: /all\nUser-agent: trawl\nDisallow: /mine';
const SPLIT = 'User-agent: trawl\nDisallow: /a\nUser-agent: other\nDisallow: /b\nUser-agent: TRAWL\nDisallow: /c';

export const ROBOTS_CASES: readonly RobotsCase[] = [
  ...rows([
    // Which rule wins.
    ['a rule matches from the start of the path', 'Disallow: /fish', '/fish/salmon.html', false, '2 Disallow: /fish'],
    ['a rule is a prefix, not a folder', 'Disallow: /fish', '/fishheads', false],
    ['a rule does not match further down the path', 'Disallow: /fish', '/cat/fish', true, null],
    ['a rule with a slash at its end spares the bare name', 'Disallow: /fish/', '/fish', true],
    ['a rule with a slash at its end covers the folder itself', 'Disallow: /fish/', '/fish/', false],
    ['paths are compared with case', 'Disallow: /fish', '/Fish', true],
    ['no rule that matches means allowed', 'Disallow: /x', '/y', true, null],
    ['a slash alone covers everything', 'Disallow: /', '/any/thing?x=1', false, '2 Disallow: /'],
    ['a longer Allow beats a shorter Disallow', 'Disallow: /a\nAllow: /a/b', '/a/b/c', true, '3 Allow: /a/b'],
    ['a longer Disallow beats a shorter Allow', 'Allow: /a\nDisallow: /a/b', '/a/b/c', false, '3 Disallow: /a/b'],
    ['order does not matter, the long Allow first', 'Allow: /a/b\nDisallow: /a', '/a/b/c', true, '2 Allow: /a/b'],
    ['order does not matter, the long Disallow first', 'Disallow: /a/b\nAllow: /a', '/a/b', false, '2 Disallow: /a/b'],
    ['Allow wins a tie when it stands last', 'Disallow: /dir\nAllow: /dir', '/dir/x', true, '3 Allow: /dir'],
    ['Allow wins a tie when it stands first', 'Allow: /dir\nDisallow: /dir', '/dir/x', true, '2 Allow: /dir'],
    ['a tie between different patterns goes to Allow', 'Disallow: /*b\nAllow: /ab', '/ab', true, '3 Allow: /ab'],
    ['of two equal rules the first is named', 'Disallow: /q\nDisallow: /q', '/q', false, '2 Disallow: /q'],
    ['stars count as octets', 'Allow: /page\nDisallow: /*.html', '/page.html', false, '3 Disallow: /*.html'],
    ['a longer literal beats a star', 'Allow: /x/page.\nDisallow: /*.html', '/x/page.html', true, '2 Allow: /x/page.'],
    ['the dollar counts as an octet', 'Allow: /$\nDisallow: /', '/', true, '2 Allow: /$'],
    ['an anchored Allow opens the front page only', 'Allow: /$\nDisallow: /', '/page', false, '3 Disallow: /'],
    ['length counts in octets, not letters', 'Disallow: /ü*\nAllow: /%C3%BC', '/ü', false, '2 Disallow: /ü*'],
    ['an escaped letter counts as one octet', 'Allow: /%61%62\nDisallow: /abc', '/abc', false, '3 Disallow: /abc'],
    ['a star for a folder loses to its name', 'Disallow: /*/\nAllow: /x/', '/x/', true, '3 Allow: /x/'],
    ['a star for a folder covers other folders', 'Disallow: /*/\nAllow: /x/', '/xx/', false, '2 Disallow: /*/'],
    ['a star for a folder spares files beside', 'Disallow: /*/\nAllow: /x/', '/file', true, null],

    // Stars and dollars.
    ['a star takes any run of characters', 'Disallow: /*.php', '/a/b/c.php', false],
    ['a star takes nothing, too', 'Disallow: /fish*.php', '/fish.php', false],
    ['a star reaches into the query', 'Disallow: /*.php', '/index?f=x.php', false],
    ['a star needs what follows it', 'Disallow: /*.php', '/php/', true],
    ['what follows a star is compared with case', 'Disallow: /*.php', '/windows.PHP', true],
    ['a star at the end changes nothing but rank', 'Disallow: /fish*', '/fish', false],
    ['a star takes slashes', 'Disallow: /foo/*/qux', '/foo/a/b/qux', false],
    ['a star between slashes needs both', 'Disallow: /foo/*/qux', '/foo/qux', true],
    ['a star between slashes may be empty', 'Disallow: /foo/*/qux', '/foo//qux', false],
    ['several stars are found in order', 'Disallow: /a*b*c', '/a-b-c', false],
    ['several stars are not found out of order', 'Disallow: /a*b*c', '/a-c-b', true],
    ['parts between stars do not overlap', 'Disallow: /*aba*aba', '/x/x/ababa', true],
    ['stars in a row are one', 'Disallow: /a***b', '/axb', false],
    ['two thousand stars are one', `Disallow: /${'*'.repeat(2000)}.html`, '/x.html', false],
    ['two thousand stars still need what follows', `Disallow: /${'*'.repeat(2000)}.html`, '/x.php', true],
    ['a rule may begin with a star', 'Disallow: *.gif', '/a/b.gif', false, '2 Disallow: *.gif'],
    ['a lone star covers everything', 'Disallow: *', '/x', false],
    ['a star in front loses to a longer literal', 'Allow: /foo/bar\nDisallow: *', '/foo/bar', true],
    ['a dollar anchors the end', 'Disallow: /foo$', '/foo', false],
    ['a dollar refuses anything behind', 'Disallow: /foo$', '/foo/', true],
    ['a dollar refuses a query behind', 'Disallow: /*.php$', '/a.php?x', true],
    ['a dollar behind a star checks the very end', 'Disallow: /*.php$', '/a.php/b.php', false],
    ['a dollar behind a star is not satisfied midway', 'Disallow: /*.php$', '/a.php5', true],
    ['a star before the dollar takes the rest', 'Disallow: /foo*$', '/foo/bar?x=1', false],
    ['head and anchored tail do not overlap', 'Disallow: /ab*ba$', '/aba', true],
    ['a part and the anchored tail do not overlap', 'Disallow: /*aba*ba$', '/x/x/aba', true],
    ['a dollar elsewhere is a dollar', 'Disallow: /a$b', '/a$bc', false],
    ['a dollar elsewhere does not anchor', 'Disallow: /a$b', '/a', true],
    ['only the last of two dollars anchors', 'Disallow: /a$$', '/a$', false],
    ['a lone dollar matches no path', 'Disallow: $', '/', true, null],
    ['an escaped star is a star in the URL', 'Disallow: /a%2Ab', '/a*b', false],
    ['an escaped star takes nothing else', 'Disallow: /a%2Ab', '/axb', true],
    ['an escaped dollar is a dollar in the URL', 'Disallow: /a%24', '/a$', false],
    ['an escaped dollar does not anchor', 'Disallow: /a%24', '/a$b', false],
    ['an escaped dollar needs its dollar', 'Disallow: /a%24', '/a', true],

    // Octets.
    ['raw UTF-8 in a rule equals its escapes', 'Disallow: /ツ', '/%E3%83%84', false],
    ['raw UTF-8 in a URL equals escapes in a rule', 'Disallow: /%E3%83%84', '/ツ', false],
    ['a pair of surrogates is one character', 'Disallow: /💩', '/%F0%9F%92%A9/x', false],
    ['hex digits have no case in the rule', 'Disallow: /%e3%83%84', '/%E3%83%84', false],
    ['hex digits have no case in the URL', 'Disallow: /%E3%83%84', '/%e3%83%84', false],
    ['an escaped letter in a rule is the letter', 'Disallow: /%62%61%7A', '/baz', false],
    ['an escaped letter in a URL is the letter', 'Disallow: /baz', '/%62%61%7A', false],
    ['an escaped tilde is a tilde', 'Disallow: /%7Ejoe', '/~joe/', false],
    ['a tilde is an escaped tilde', 'Disallow: /~joe', '/%7ejoe/', false],
    ['an escaped slash is not a slash', 'Disallow: /a%2Fb', '/a/b', true],
    ['a slash is not an escaped slash', 'Disallow: /a/b', '/a%2Fb', true],
    ['an escaped slash is an escaped slash', 'Disallow: /a%2fb', '/a%2Fb', false],
    ['an escaped colon is not a colon', 'Disallow: /http%3A%2F%2Fx', '/http:%2F%2Fx', true],
    ['an escaped question mark begins no query', 'Disallow: /a%3Fb', '/a?b', true],
    ['a raw angle bracket equals its escape', 'Disallow: /a<d.html', '/a%3cd.html', false],
    ['an escaped angle bracket equals the raw one', 'Disallow: /a%3cd.html', '/a<d.html', false],
    ['a star works behind an escape', 'Disallow: /a%3c*x', '/a<dx', false],
    ['a blank within a rule equals %20', 'Disallow: /a b', '/a%20b', false],
    ['a percent sign that escapes nothing stays', 'Disallow: /%a%a', '/%a%a/x', false],
    ['a percent sign at the end stays', 'Disallow: /100%', '/100%', false],
    ['an escaped percent sign is not a bare one', 'Disallow: /100%25', '/100%', true],
    ['a curly bracket in a query equals its escape', 'Disallow: /*?q={', '/s?q=%7Bx', false],
    ['an escaped hash can be ruled on', 'Disallow: /a%23b', '/a%23b', false],

    // What of a URL counts.
    ['the query counts', 'Disallow: /path;params?query', '/path;params?query=1', false],
    ['a bare question mark counts', 'Disallow: /?', '/?', false],
    ['no question mark is not a bare one', 'Disallow: /?', '/', true],
    ['a URL within the query is only text', 'Disallow: /\nAllow: /go?to=http://a.b?c&d', '/go?to=http://a.b?c&d', true],
    ['the fragment does not count', 'Disallow: /*secret', '/page#secret', true],
    ['a URL without a path has the path /', 'Disallow: /$', 'https://example.com', false],
    ['a query without a path stands behind /', 'Disallow: /?a', 'https://example.com?a', false],
    ['user, host and port do not count', 'Disallow: /foo', 'http://u:p@foo.example:8080/bar', true],
    ['dot segments are gone before rules apply', 'Disallow: /b', '/a/../b', false],
    ['a doubled slash is not a single one', 'Disallow: /b', '//b', true],
    ['/robots.txt is allowed whatever is said', 'Disallow: /', '/robots.txt', true, null],
    ['/robots.txt is allowed even if named', 'Disallow: /robots.txt', '/robots.txt', true, null],
    ['a file beginning like /robots.txt is not', 'Disallow: /', '/robots.txt.bak', false],
    ['/robots.txt in a folder is not', 'Disallow: /', '/a/robots.txt', false],

    // Rules that say nothing.
    ['an empty Disallow forbids nothing', 'Disallow:', '/x', true, null],
    ['an empty Allow allows nothing more', 'Disallow: /\nAllow:', '/x', false, '2 Disallow: /'],
    ['an empty Disallow leaves others alone', 'Disallow:\nDisallow: /x', '/x', false],
    ['a rule without a slash in front matches nothing', 'Disallow: fish', '/fish', true, null],
    ['a whole URL as a rule matches nothing', 'Disallow: https://example.com/x', '/x', true, null],
    ['/index.html says nothing about the folder', 'Allow: /d/index.html\nDisallow: /', '/d/', false],

    // Groups.
    ['an empty file allows', '', '/x', true, null],
    ['a group of its own hides the * group', TWO_GROUPS, '/all', true, null],
    ['a group of its own is obeyed', TWO_GROUPS, '/mine', false, '4 Disallow: /mine'],
    ['groups of one agent are merged: the first', SPLIT, '/a', false, '2 Disallow: /a'],
    ['groups of one agent are merged: not the other', SPLIT, '/b', true],
    ['groups of one agent are merged: the last', SPLIT, '/c', false, '6 Disallow: /c'],
    ['* groups are merged', 'User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b', '/a', false],
    ['* groups are merged: the second', 'User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b', '/b', false],
    [
      'merged groups weigh their rules together',
      'User-agent: *\nDisallow: /a\nUser-agent: *\nAllow: /a/b',
      '/a/b',
      true,
    ],
    ['no group for the agent and no *: allowed', 'User-agent: other\nDisallow: /', '/x', true, null],
    ['agents in a row share a group', 'User-agent: one\nUser-agent: trawl\nDisallow: /x', '/x', false],
    ['blank lines do not end a group', 'User-agent: trawl\n\n\nDisallow: /x', '/x', false],
    ['blank lines between agents do not part them', 'User-agent: trawl\n\nUser-agent: b\nDisallow: /x', '/x', false],
    ['a comment between agents does not part them', 'User-agent: trawl\n# b\nUser-agent: b\nDisallow: /x', '/x', false],
    ['an agent shares a group with *', 'User-agent: *\nUser-agent: trawl\nDisallow: /x', '/x', false],
    ['rules above every User-agent are for nobody', 'Disallow: /x\nUser-agent: *\nDisallow: /y', '/x', true],
    ['a rule ends the list of agents', 'User-agent: trawl\nDisallow: /x\nUser-agent: b\nDisallow: /y', '/y', true],
    ['a group without rules allows all', 'User-agent: *\nDisallow: /\nUser-agent: trawl', '/x', true, null],
    [
      'an empty Disallow of its own hides the * group',
      'User-agent: *\nDisallow: /\nUser-agent: trawl\nDisallow:',
      '/',
      true,
    ],
    [
      'an empty Disallow ends the list of agents',
      'User-agent: trawl\nDisallow:\nUser-agent: b\nDisallow: /',
      '/x',
      true,
    ],
    ['a Sitemap line does not end a group', 'User-agent: trawl\nSitemap: /s.xml\nDisallow: /x', '/x', false],
    [
      'a Sitemap line does not part agents',
      'User-agent: trawl\nSitemap: /s.xml\nUser-agent: b\nDisallow: /x',
      '/x',
      false,
    ],
    ['an unknown line does not end a group', 'User-agent: trawl\nDisallow: /a\nNoindex: /b\nDisallow: /x', '/x', false],
    ['an unknown line does not part agents', 'User-agent: trawl\nHarry: P\nUser-agent: b\nDisallow: /x', '/x', false],
    ['a Crawl-delay does part agents', 'User-agent: trawl\nCrawl-delay: 5\nUser-agent: b\nDisallow: /', '/x', true],
    [
      'an agent without a name takes its rules along',
      'User-agent: trawl\nDisallow: /a\nUser-agent:\nDisallow: /b',
      '/b',
      true,
    ],
    ['an agent without a name is not everybody', 'User-agent:\nDisallow: /', '/x', true, null],

    // Agents.
    ['agents have no case', 'User-agent: tRaWl\nDisallow: /x', '/x', false],
    ['an agent with a version is its name', 'User-agent: trawl/1.2\nDisallow: /x', '/x', false],
    ['an agent of two words is its first', 'User-agent: Trawl Images\nDisallow: /x', '/x', false],
    ['an agent beginning like ours is not ours', 'User-agent: trawler\nDisallow: /x', '/x', true],
    ['an agent that ours begins with is not ours', 'User-agent: tra\nDisallow: /x', '/x', true],
    ['an agent with a hyphen is another', 'User-agent: trawl-images\nDisallow: /x', '/x', true],
    ['an agent with a digit is another', 'User-agent: trawl2\nDisallow: /x', '/x', true],
    ['a star and a word is still everybody', 'User-agent: * (all)\nDisallow: /x', '/x', false],
    ['a star glued to a word is nobody', 'User-agent: *bot\nDisallow: /x', '/x', true],
    ['a name glued to a star is the name', 'User-agent: trawl*\nDisallow: /x', '/x', false],

    // Lines.
    ['names have no case', 'USER-AGENT: *\nDISALLOW: /x', '/x', false, '2 Disallow: /x'],
    ['a comment ends a rule', 'Disallow: /x#y', '/x', false, '2 Disallow: /x'],
    ['a comment behind a blank leaves none', 'Disallow: /x # why', '/xy', false, '2 Disallow: /x'],
    ['a comment behind an agent is none of it', 'User-agent: trawl # us\nDisallow: /x', '/x', false],
    ['a rule that is commented out is none', '# Disallow: /x', '/x', true],
    ['blanks and tabs around name and colon are none', '\t Disallow \t:\t /x \t', '/x', false, '2 Disallow: /x'],
    ['no blank behind the colon is needed', 'Disallow:/x', '/x', false],
    ['a blank may stand for the colon', 'User-agent *\nDisallow /x', '/x', false, '2 Disallow: /x'],
    ['a tab may stand for the colon', 'Disallow\t/x', '/x', false],
    ['three words are prose', 'Disallow /x please', '/x', true],
    ['a second colon belongs to the value', 'Disallow: /a:b', '/a:b', false],
    ['a line of colons is nothing', ':::::\nDisallow: /x', '/x', false, '3 Disallow: /x'],
    ['a carriage return ends a line', 'User-agent: *\rDisallow: /x\rAllow: /y', '/x', false, '2 Disallow: /x'],
    ['CR LF is one line end', 'User-agent: *\r\n\r\nDisallow: /x\r\n', '/x', false, '3 Disallow: /x'],
    ['line ends may be mixed', 'User-agent: *\r\n\n\rDisallow: /x', '/x', false, '4 Disallow: /x'],
    ['the last line needs no end', 'Disallow: /x', '/x', false],
    ['a byte order mark is skipped', '\uFEFFUser-agent: *\nDisallow: /x', '/x', false],
    ['a cut byte order mark is skipped', '\uFFFDUser-agent: *\nDisallow: /x', '/x', false],
    ['a byte order mark further down spoils its line', 'User-agent: *\n\uFEFFDisallow: /x', '/x', true],
    ['garbage in front of a name spoils its line', '\uFFFD\u0011\uFFFDUser-agent: *\nDisallow: /x', '/x', true],
    ['indented lines count', '   User-agent: *\n      Disallow: /x', '/x', false],
    ['"Useragent" will do', 'Useragent: *\nDisallow: /x', '/x', false],
    ['"User agent" will do', 'User agent: *\nDisallow: /x', '/x', false],
    ['"Dissallow" will do', 'Dissallow: /x', '/x', false, '2 Disallow: /x'],
    ['"Dissalow" will do', 'Dissalow: /x', '/x', false],
    ['"Disalow" will do', 'Disalow: /x', '/x', false],
    ['"Diasllow" will do', 'Diasllow: /x', '/x', false],
    ['"Disallaw" will do', 'Disallaw: /x', '/x', false],
    ['"Disallowed" will do', 'Disallowed: /x', '/x', false],
    ['"Disalllow" will not do', 'Disalllow: /x', '/x', true],
    ['other names are nothing', 'Foo: *\nBar: /', '/x', true, null],
    ['NULs behind a rule are none of it', 'Disallow: /x\0\0\0', '/x', false, '2 Disallow: /x'],
    ['UTF-16 read as UTF-8 gives no rules', [...'User-agent: *\nDisallow: /'].join('\0'), '/x', true, null],
    [
      'a web page gives no rules',
      '<!DOCTYPE html>\n<title>robots.txt</title>\nUser-agent: *\nDisallow: /\n</html>',
      '/x',
      true,
      null,
    ],
  ]),
  ...(
    [
      ['a token may be asked for in any case', 'tRAWL', '/mine', false],
      ['a token with a version is its name', 'trawl/0.1', '/mine', false],
      ['an unknown token gets the * group', 'Other', '/all', false],
      ['* gets the * group', '*', '/all', false],
      ['* gets no other group', '*', '/mine', true],
      ['an empty token gets the * group', '', '/all', false],
    ] as const
  ).map(([fact, agent, url, allowed]) => ({ fact, robots: TWO_GROUPS, agent, url, allowed })),
];
