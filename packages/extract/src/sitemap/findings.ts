/** What was found in a file and not yet handed out, in batches. Holds no more than its reader adds between two takes. */
import type { SitemapBatch, SitemapEntry, SitemapFormat } from './sitemap.ts';

export class Findings {
  format: SitemapFormat | null = null;
  entryCount = 0;
  sitemapCount = 0;

  readonly #batchSize: number;
  #full: SitemapBatch[] = [];
  #entries: SitemapEntry[] = [];
  #sitemaps: string[] = [];

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  addEntry(entry: SitemapEntry): void {
    this.entryCount++;
    this.#entries.push(entry);
    this.#closeIfFull();
  }

  addSitemap(url: string): void {
    this.sitemapCount++;
    this.#sitemaps.push(url);
    this.#closeIfFull();
  }

  takeFull(): readonly SitemapBatch[] {
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  /** Everything, the last batch being as long as it is. */
  takeAll(): readonly SitemapBatch[] {
    if (this.#entries.length + this.#sitemaps.length > 0) this.#closeBatch();
    return this.takeFull();
  }

  #closeIfFull(): void {
    if (this.#entries.length + this.#sitemaps.length >= this.#batchSize) this.#closeBatch();
  }

  #closeBatch(): void {
    this.#full.push({ entries: this.#entries, sitemaps: this.#sitemaps });
    this.#entries = [];
    this.#sitemaps = [];
  }
}
