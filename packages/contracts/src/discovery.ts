/** What a run found out about sitemaps, as it is kept with the run and shown. */
import { z } from 'zod';

const count = z.int().min(0);

const sitemapReadSchema = z.object({
  url: z.string(),
  format: z.enum(['urlset', 'index', 'rss', 'atom', 'text']).nullable(),
  entries: count,
  sitemaps: count.meta({ description: 'Further sitemaps that it names' }),
  problems: z.array(z.object({ code: z.string(), message: z.string() })),
});
export type SitemapRead = z.output<typeof sitemapReadSchema>;

export const discoverySchema = z
  .object({
    complete: z.boolean().meta({ description: 'All sitemaps there are were read to the end' }),
    sites: z.array(
      z.object({
        host: z.string(),
        from: z.enum(['given', 'robots', 'well-known', 'cache', 'none']).meta({
          description: 'Who named the sitemaps: the run, robots.txt, their usual places, an earlier reading, nobody',
        }),
        sitemaps: count,
        entries: count,
      }),
    ),
    sitemaps: z.array(sitemapReadSchema).meta({ description: 'The first of them, those with problems before others' }),
    problems: z.array(z.string()).meta({ description: 'What a person should know, as sentences' }),
  })
  .meta({ id: 'Discovery' });
export type Discovery = z.output<typeof discoverySchema>;
