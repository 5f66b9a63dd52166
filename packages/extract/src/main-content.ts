/** Which part of a page is its main content, where the page says so. Parts are positions among the writer's blocks. */
import type { Block, MarkdownWriter } from './markdown.ts';

interface Region {
  readonly start: number;
  readonly startLength: number;
  end: number;
  length: number;
}

/** Keeps where the first `<main>` and the first `<article>` lie. */
export class MainContent {
  readonly #writer: MarkdownWriter;
  #main: Region | null = null;
  #article: Region | null = null;
  #articles = 0;
  #depth = 0;

  constructor(writer: MarkdownWriter) {
    this.#writer = writer;
  }

  isInside(): boolean {
    return this.#depth > 0;
  }

  /** True for the element whose end is to be told to `close`; every other one to `leave`. */
  openMain(): boolean {
    this.#enter();
    if (this.#main !== null) return false;
    this.#main = this.#start();
    return true;
  }

  openArticle(): boolean {
    this.#enter();
    if (++this.#articles > 1) return false;
    this.#article = this.#start();
    return true;
  }

  closeMain(): void {
    this.leave();
    this.#finish(this.#main);
  }

  closeArticle(): void {
    this.leave();
    this.#finish(this.#article);
  }

  leave(): void {
    this.#writer.endParagraph();
    this.#depth--;
  }

  /** All blocks, unless `<main>`, or else the only `<article>`, holds at least half of the text. */
  blocks(): readonly Block[] {
    const region = this.#main ?? (this.#articles === 1 ? this.#article : null);
    const all = this.#writer.blocks;
    if (!region || region.length === 0 || region.length * 2 < this.#writer.textLength) return all;
    return all.slice(region.start, region.end);
  }

  #enter(): void {
    this.#writer.endParagraph();
    this.#depth++;
  }

  #start(): Region {
    const start = this.#writer.blocks.length;
    return { start, startLength: this.#writer.textLength, end: start, length: 0 };
  }

  #finish(region: Region | null): void {
    if (!region) return;
    region.end = this.#writer.blocks.length;
    region.length = this.#writer.textLength - region.startLength;
  }
}
