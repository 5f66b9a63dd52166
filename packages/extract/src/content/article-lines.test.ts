import { describe, expect, it } from 'vitest';
import { isCall, isCredit, isLabel, isPointer, isSentence } from './article-lines.ts';

describe('lines that speak of themselves', () => {
  it.each(['Advertisement', '— Advert —', 'Continue reading', 'Related stories', 'Share this', 'Anzeige', 'Реклама'])(
    '%s is a label',
    (line) => {
      expect(isLabel(line)).toBe(true);
    },
  );

  it.each(['Advertisement rates fell by a third.', 'Sharing a flat is cheap', 'Comments by the mayor were few'])(
    '%s is none',
    (line) => {
      expect(isLabel(line)).toBe(false);
    },
  );

  it.each([
    'Read more: Museum opens',
    'Also read: Mayor steps down',
    'Lesen Sie auch: Hochwasser',
    'Leia também: Enchente',
  ])('%s points elsewhere', (line) => {
    expect(isPointer(line)).toBe(true);
  });

  it.each([
    'Sign up for our newsletter.',
    'Follow her on Twitter @moor',
    'Write to ada@news.example',
    '© 2020 The Gazette',
  ])('%s asks for something, or claims it', (line) => {
    expect(isCall(line)).toBe(true);
  });

  it.each([
    'Photo: A. Moor',
    'The bridge at noon (Image: A. MOOR)',
    'Image copyright A. Moor',
    'The square. Getty Images',
  ])('%s is a caption', (line) => {
    expect(isCredit(line)).toBe(true);
  });

  it.each(['Photographs of the flood were shown.', 'The image of the town suffered (again).'])('%s is none', (line) => {
    expect(isCredit(line)).toBe(false);
  });

  it('knows a sentence by its end', () => {
    expect(['He said “it is safe.”', '終わりました。', 'Source: https://example.org/a'].map(isSentence)).toEqual([
      true,
      true,
      true,
    ]);
    expect(['Museum shows lost pictures', 'Who is next?'].map(isSentence)).toEqual([false, false]);
  });
});
