/** `GET` of the picture that `POST /v1/crawl` took of a page, for as long as it is kept. */
import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi';
import { getPassing } from '@trawl/blobs';
import type { ApiDeps } from '../deps.ts';
import { problem } from '../problem.ts';
import { anyTime, notFound, png } from '../route-parts.ts';

export const shotPath = (id: string): string => `/v1/crawl/screenshots/${id}`;

const showShotRoute = createRoute({
  method: 'get',
  path: '/v1/crawl/screenshots/{id}',
  summary: 'The picture of a page that was crawled by itself',
  request: { params: z.object({ id: z.string().openapi({ param: { name: 'id', in: 'path' } }) }) },
  responses: { 200: png, ...notFound, ...anyTime },
});

export function serveCrawlShots(app: OpenAPIHono, deps: ApiDeps): void {
  app.openapi(showShotRoute, async (c) => {
    const { id } = c.req.valid('param');
    const shot = await getPassing(deps.blobs, id);
    if (shot === null)
      return problem(
        c,
        'NOT_FOUND',
        `There is no picture ${JSON.stringify(id.slice(0, 200))}, or it is no longer kept.`,
      );
    return c.body(new Uint8Array(shot), 200, { 'Content-Type': 'image/png' });
  });
}
