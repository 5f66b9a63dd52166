/** A process that renders one page after the other until it is told to close, or is killed. For lifetime.test.ts. */
import { createRenderer } from './renderer.ts';

const [, , executablePath = ''] = process.argv;
const renderer = createRenderer({ executablePath, pages: 2, allowPrivateNetworks: true });
const render = () =>
  renderer.render({
    url: 'http://site.example/',
    document: { status: 200, headers: [['content-type', 'text/html']], body: Buffer.from('<p>words') },
    userAgent: 'Trawl-test/1',
    timeoutMs: 60_000,
    waitMs: 1000,
  });

process.once('message', async () => {
  await renderer.close();
  process.exit(open > 0 ? 1 : 0);
});

let open = 1;
const first = await render();
if (first.kind !== 'rendered') throw new Error(JSON.stringify(first));
const second = render();
process.send?.('rendering');
await second;
open = 0;
