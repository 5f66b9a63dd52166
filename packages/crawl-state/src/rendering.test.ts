import { describe, expect, it } from 'vitest';
import { isBarren, isKnownToRender, renderingOf } from './rendering.ts';

const learned = (counts: string) => renderingOf({ rendering: ['t', counts] });

describe('what was learned of a path template', () => {
  it.each([
    ['nothing', 'other', '1 0 0 0', false, false],
    ['one shell', 't', '1 0 0 0', true, false],
    ['a gain', 't', '1 1 0 0', true, false],
    ['two renders for nothing', 't', '2 0 2 0', true, false],
    ['three renders for nothing, and none that was not', 't', '3 0 3 0', false, true],
    ['three renders for nothing beside a gain', 't', '4 1 3 0', true, false],
    ['as many that needed none as did', 't', '1 1 0 2', false, false],
    ['mostly pages that need none', 't', '1 1 0 50', false, false],
  ])('%s: decides where its pages go', (_, template, counts, rendersAtOnce, isBarrenOne) => {
    expect(isKnownToRender(learned(counts), template)).toBe(rendersAtOnce);
    expect(isBarren(learned(counts), template)).toBe(isBarrenOne);
  });
});
