import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failed, get, getText, keep, newFetcher, PAGE, request, textRequest } from './fetcher.fixture.ts';
import { type LoopbackServer, serve } from './loopback-server.ts';

/** Hosts that a page must not make the crawler talk to. Each is asked for at the port of a server on loopback. */
const PRIVATE: readonly string[] = [
  // loopback, in every spelling the URL standard knows
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.0x1',
  '0x7f000001',
  '0x7F.1',
  '0x7f.0x0.0x0.0x1',
  '00000177.0.0.1',
  '127.0.0.1.',
  '127.0.0.1..',
  '%31%32%37.0.0.1',
  '127%2e0%2E0%2e1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  // names that are loopback by definition
  'localhost',
  'LOCALHOST',
  'localhost.',
  'localhost..',
  'foo.localhost',
  'a.b.LocalHost.',
  'ｌocalhost',
  'loc%61lhost',
  // this network, private networks, link-local, carrier-grade NAT
  '0.0.0.0',
  '0',
  '0x0',
  '0.1.2.3',
  '10.0.0.1',
  '0xa000001',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '3232235521',
  '100.64.0.1',
  '100.127.255.254',
  '169.254.0.1',
  // metadata services
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '169.254.43518',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[::ffff:169.254.169.254]',
  // protocol assignments, documentation, benchmarks, multicast, reserved, broadcast
  '192.0.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '4294967295',
  // IPv6
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000::0001]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:7F00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  '[2001:10::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[100::1]',
  '[5f00::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[ff02::1]',
  '[ff0e::1]',
];

/** What a URL can't have for a host, so that no reader may see an address in it. */
const NO_HOSTS: readonly string[] = [
  '256.0.0.1',
  '127.0.0.256',
  '127.0.0.0.1',
  '0x7f.0.0.0x100',
  '0900.0.0.1',
  '4294967296',
  '[fe80::1%25lo]',
  '[fe80::1%lo]',
  '[::1',
  '[::ffff:127.1]',
  '[::ffff:0x7f.0.0.1]',
  '127.0.0.1%00',
  '127.0.0.1%0d%0aHost:x',
];

/** Global by its block, but given to nobody: dialling it disturbs no one. */
const UNASSIGNED = '2000::1';

/** A server that would answer, and counts its connections. */
const untouched = (): Promise<LoopbackServer> => keep(serve((_req, res) => res.end(PAGE)));

/** Answers the n-th call with the n-th list, and from the last on with that. */
function answering(...answers: readonly (readonly string[])[]): LookupFunction & { calls: number } {
  const lookup: LookupFunction & { calls: number } = Object.assign(
    (...[, , callback]: Parameters<LookupFunction>) => {
      const addresses = answers[Math.min(lookup.calls++, answers.length - 1)] ?? [];
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
    { calls: 0 },
  );
  return lookup;
}

describe('the address guard', () => {
  it.each([
    ['PRIVATE_ADDRESS', PRIVATE],
    ['ADDRESS_INVALID', NO_HOSTS],
  ])('answers %s to each host of its table, for pages and texts, and dials none', async (code, hosts) => {
    const site = await untouched();
    const fetcher = newFetcher({ allowPrivateNetworks: false });
    const seen: string[] = [];
    for (const host of hosts) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${site.port}/`;
        const replies = await Promise.all([fetcher.get(request(url)), fetcher.getText(textRequest(url))]);
        seen.push(...replies.map((reply) => `${url} ${reply.kind === 'failed' ? reply.error.code : reply.kind}`));
      }
    }
    expect(seen.filter((line) => !line.endsWith(` ${code}`))).toEqual([]);
    expect(seen).toHaveLength(hosts.length * 4);
    expect(site.connections()).toBe(0);
  });

  it('says which setting would allow it, and is final', async () => {
    const reply = await get('http://127.0.0.1/', {}, { allowPrivateNetworks: false });
    expect(reply).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
    expect(reply).toMatchObject({ error: { message: expect.stringContaining('ALLOW_PRIVATE_NETWORKS=true') } });
  });

  it.each([
    [['127.0.0.1']],
    [['::1', '127.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['10.0.0.1', '169.254.169.254']],
    [['fe80::1%lo']],
    [[]],
  ])('keeps a public name of %j from being dialled', async (addresses) => {
    const site = await untouched();
    const options = { allowPrivateNetworks: false, lookup: answering(addresses) };
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://rebound.test:${site.port}/`;
      expect(await get(url, {}, options)).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
      expect(await getText(url, {}, options)).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
    }
    expect(site.connections()).toBe(0);
  });

  it('dials only the public addresses of a name that has both', async () => {
    const site = await untouched();
    const lookup = answering(['127.0.0.1', '192.0.2.1', UNASSIGNED, '::1']);
    // Whatever becomes of that address, it is not an answer of the server on loopback.
    const url = `http://mixed.test:${site.port}/`;
    const reply = await get(url, { timeoutMs: 200 }, { allowPrivateNetworks: false, lookup });
    expect(reply.kind).toBe('failed');
    expect(reply).not.toMatchObject({ error: { code: 'PRIVATE_ADDRESS' } });
    expect(site.connections()).toBe(0);
  });

  it('is not fooled by a name whose second lookup answers with a private address', async () => {
    const site = await untouched();
    const lookup = answering([UNASSIGNED], ['127.0.0.1']);
    const fetcher = newFetcher({ allowPrivateNetworks: false, lookup });
    const url = `http://rebinding.test:${site.port}/`;
    const first = await fetcher.get(request(url, { timeoutMs: 200 }));
    // One lookup for one connection: there is no second answer to use.
    expect(lookup.calls).toBe(1);
    expect(first).not.toMatchObject({ error: { code: 'PRIVATE_ADDRESS' } });
    const another = newFetcher({ allowPrivateNetworks: false, lookup });
    expect(await another.get(request(url))).toMatchObject(failed('PRIVATE_ADDRESS', false, null));
    expect(lookup.calls).toBe(2);
    expect(site.connections()).toBe(0);
  });

  it('is off where private networks are allowed', async () => {
    const site = await untouched();
    const url = `http://intranet.test:${site.port}/`;
    expect(await get(url, {}, { lookup: answering(['127.0.0.1']) })).toMatchObject({ kind: 'page' });
    expect(await getText(url, {}, { lookup: answering(['127.0.0.1']) })).toMatchObject({ kind: 'text' });
  });
});
