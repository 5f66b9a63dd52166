/** What is kept of a page, and in which form: the part of a run's options that decides what extraction does. */
import { compile } from 'css-select';
import { z } from 'zod';

/** Byte pair encodings whose tokens chunks can be counted in. */
export const TOKENIZERS = ['cl100k_base', 'o200k_base'] as const;
export type TokenizerName = (typeof TOKENIZERS)[number];

export const selectors = z
  .array(
    z
      .string()
      .min(1)
      .max(500)
      .superRefine((value, ctx) => {
        const message = selectorProblem(value);
        if (message) ctx.addIssue({ code: 'custom', message });
      }),
  )
  .max(100)
  .default([]);

export const outputSchema = z
  .strictObject({
    markdown: z.boolean().default(true),
    /** Keep each answer as it came, its head included: for `html` of a page, and for WARC. */
    html: z.boolean().default(false),
    /** Keep a picture of each page; every page is rendered for it. */
    screenshot: z.boolean().default(false),
    /** Navigation, banners, footers and the like go. False keeps the whole body. */
    mainContent: z.boolean().default(true),
    /** Where a page has one of these, it is the content, whatever else would be taken for it. */
    includeSelectors: selectors,
    /** Never content. */
    excludeSelectors: selectors,
    chunks: z
      .strictObject({
        maxTokens: z.int().min(50).max(8000).default(500),
        overlap: z.int().min(0).max(1000).default(50),
        tokenizer: z.enum(TOKENIZERS).default('cl100k_base'),
      })
      .refine((c) => c.overlap < c.maxTokens, { path: ['overlap'], message: 'must be smaller than maxTokens' })
      .prefault({}),
  })
  .prefault({});
export type OutputOptions = z.output<typeof outputSchema>;

/** Why `selector` can't be used, or null. */
function selectorProblem(selector: string): string | null {
  try {
    compile(selector);
    return null;
  } catch (error) {
    return `is not a CSS selector that can be used: ${error instanceof Error ? error.message : String(error)}`;
  }
}
