import { describe, expect, it } from 'vitest';
import { Element } from '../dom/node.ts';
import { tagNamed } from '../dom/tags.ts';
import { type Names, nameReader } from './article-words.ts';

const namesOf = (classes: string, name = 'div'): Names =>
  nameReader()(new Element(tagNamed(name), name, { class: classes }));

describe('names of boxes', () => {
  it.each([
    'related-posts',
    'post__relatedArticles',
    'ShareBar',
    'right_sidebar',
    'ad-slot',
    'cookie',
    'comments',
    'hidden',
    'd-none',
  ])('%s is beside an article', (name) => {
    expect(namesOf(name).isChrome).toBe(true);
  });

  it.each([
    'header-shadow',
    'shareholders',
    'overflow-hidden',
    'hidden lg:flex',
    'd-none d-md-block',
    'elementor-widget elementor-widget-text',
    'post-12 hentry category-social tag-newsletter',
    'recipe-cookies',
  ])('%s is not', (name) => {
    expect(namesOf(name).isChrome).toBe(false);
  });

  it.each(['byline', 'entry-meta', 'img-caption', 'photoCredit', 'meta'])(
    '%s stands inside without belonging to the text',
    (name) => {
      expect(namesOf(name).isExtra).toBe(true);
    },
  );

  it('takes a word for the last of its name only where it means little elsewhere', () => {
    expect(namesOf('wrapper_meta_field').isExtra).toBe(false);
  });

  it.each(['entry-content', 'articleBody', 'story__body', 'td-post-content', 'rich-text', 'e-content'])(
    '%s is the text',
    (name) => {
      expect(namesOf(name).isBody).toBe(true);
    },
  );

  it('reads ids, but not those of headings', () => {
    const heading = new Element(tagNamed('h2'), 'h2', { id: 'comments' });
    const box = new Element(tagNamed('div'), 'div', { id: 'comments' });
    const read = nameReader();
    expect([read(heading).isChrome, read(box).isChrome]).toEqual([false, true]);
  });
});
