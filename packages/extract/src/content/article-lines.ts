/**
 * What single lines say of themselves: labels of adverts, pointers to other pages, captions, calls to subscribe. Only whole, short lines are
 * judged; a sentence of an article that speaks of newsletters stays. English, and the usual words for these things in a few other languages.
 */

const anyOf = (...lists: readonly (readonly string[])[]): string => `(?:${lists.flat().join('|')})`;

const AD_LABELS = [
  'advert(?:isement|ising|isment)?s?',
  'ad',
  'sponsored(?: content| links?)?',
  'promoted',
  'skip(?: advert| ad)?',
  '(?:story |article )?continues? (?:below|after|reading)(?: (?:the )?(?:advert(?:isement)?|ad|this ad))?',
  'continue reading below',
  'anzeige',
  'werbung',
  'publicidade',
  'publicidad',
  'publicité',
  'pubblicità',
  'iklan',
  'реклама',
  '広告',
  'スポンサードリンク',
];
const LINK_LABELS = [
  'related(?: articles?| stor(?:y|ies)| posts?| topics?| links?| content| news| coverage| videos?| reading)?',
  'recommended(?: for you)?',
  '(?:see|read) also',
  'also read',
  '(?:read )?more',
  'more from .{1,40}',
  'most (?:popular|read)',
  'trending(?: now)?',
  'up next',
  'explore further',
  "don['’]t miss",
  'you (?:may|might) also (?:like|be interested in|enjoy)',
  'tags?',
  'topics?',
];
const BUTTON_LABELS = [
  'comments?',
  'share(?: this| on| article)?',
  'click to tweet',
  'tweet this',
  'loading',
  'close',
  'print',
  'email',
  'watch(?: now| next)?',
  'video',
  'photos?',
  'gallery',
  'image',
];
const LABEL = new RegExp(`^[\\W_]*${anyOf(AD_LABELS, LINK_LABELS, BUTTON_LABELS)}[\\W_]*$`, 'iu');
const MAX_LABEL = 80;

/** The whole line is a label. */
export const isLabel = (line: string): boolean => line.length <= MAX_LABEL && LABEL.test(line);

const POINTERS = [
  'read (?:more|next|also|the full|our)',
  'also read',
  'see (?:also|more)',
  'related',
  'more(?: on this| from|:)',
  'watch(?:\\s?(?:more|now|next|the video|video|this))?:',
  'watch (?:more|below|now)',
  'recommended',
  "don['’]t miss",
  'must.read',
  'click (?:here|to)',
  'check out (?:more|our|the latest)',
  'you (?:may|might) also',
  '(?:find out|learn) more',
  'for more',
  'continue reading',
  'download (?:the|our)',
  'up next',
  'previously',
  '(?:photos?|video|gallery):',
  'lesen sie',
  'mehr zum thema',
  'lire aussi',
  'à lire',
  'leia (?:mais|também)',
  'lea también',
  'te puede interesar',
  'leggi anche',
  'lees ook',
  'baca juga',
  'читайте также',
];
const POINTER = new RegExp(`^\\W*${anyOf(POINTERS)}`, 'iu');

/** Begins like a pointer to another page; what it points with is a link, which the caller knows of. */
export const isPointer = (line: string): boolean => POINTER.test(line);

const CALLS = [
  'sign up',
  'subscribe',
  'newsletters?',
  'follow (?:us|him|her|me|them|@\\w+|.{1,40} on (?:twitter|facebook|instagram|social media))',
  'like us on',
  'join (?:us|our|the conversation)',
  '(?:in|to) your inbox',
  'click here',
  'support (?:us|our journalism)',
  'donate',
  'download (?:the|our) .{0,20}app',
  'get (?:the|our) .{0,30}(?:newsletter|app|updates)',
  'tell us what',
  'have (?:a|any) (?:tip|story|question)',
  'contact (?:us|the (?:author|reporter|writer))',
  'email (?:us|him|her|me) at',
  '(?:can|may) be reached',
  'reach (?:him|her|them|me) (?:at|on)',
  'listen (?:live|back|to)',
  'full coverage',
  'all rights reserved',
  'may not be (?:published|reproduced)',
  'copyright \\d{4}',
];
const CALL = new RegExp(`\\b${anyOf(CALLS)}|©|@\\w{3,}(?:\\.\\w+)+`, 'iu');

/** Asks the reader for something or tells who owns the text; means something at the end of an article only. */
export const isCall = (line: string): boolean => CALL.test(line);

const SENTENCE_END = /[.。][\p{Pe}\p{Pf}"']*$|https?:\/\/\S+$/u;
/** An end is looked for from every place in a line, so only so many signs of it are read. */
const MAX_END = 200;

/** A linked line that ends like a sentence, or spells an address out, is no title of another page. */
export const isSentence = (line: string): boolean => SENTENCE_END.test(line.slice(-MAX_END));

const PICTURE = '(?:photo|image|picture|illustration|video|foto|bild|imagem|imagen)s?';
const CREDITS = [
  `^\\W*${PICTURE}(?: credits?| copyright| courtesy| by| source)?\\s?(?::|©|\\bby\\b|courtesy|copyright|getty)`,
  '^\\W*credits?\\s?:',
  '^©',
  '\\((?:ap |afp |reuters )?(?:photo|image|picture|credit|foto|source)s?\\b[^()]{0,60}\\)\\W*$',
  '\\([^()]{0,40}(?:getty images|reuters|\\/ap|\\/afp|shutterstock)\\s*\\)\\W*$',
  'photos? ©',
  '\\bgetty images\\W*$',
];
const CREDIT = new RegExp(anyOf(CREDITS), 'iu');
const MAX_CREDIT = 250;

/** Names the source of a picture: the line is its caption. */
export const isCredit = (line: string): boolean => line.length <= MAX_CREDIT && CREDIT.test(line);
