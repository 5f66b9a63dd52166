import { createServer } from 'node:https';
import { createServer as createTcpServer, type LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { failed, get, keep, newFetcher, PAGE, request } from './fetcher.fixture.ts';
import { createFetcher } from './fetcher.ts';
import { listen } from './loopback-server.ts';
import { type CertificateOptions, selfSigned } from './self-signed.ts';

const DAY_MS = 86_400_000;
const toLoopback: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

async function serveTls(options: CertificateOptions) {
  const certificate = selfSigned(options);
  const site = await keep(listen(createServer(certificate, (_req, res) => res.end(PAGE))));
  return { port: site.port, ca: [certificate.cert] };
}

describe('a certificate', () => {
  it('is accepted if it is trusted, in date and for the name or the address that was asked for', async () => {
    const { port, ca } = await serveTls({ names: ['site.test', '*.wild.test'], addresses: ['127.0.0.1'] });
    const fetcher = newFetcher({ ca, lookup: toLoopback });
    for (const host of ['site.test', 'a.wild.test', '127.0.0.1'])
      expect(await fetcher.get(request(`https://${host}:${port}/`)), host).toMatchObject({ kind: 'page' });
  });

  it.each([
    ['expired', { validFromMs: Date.now() - 2 * DAY_MS, validToMs: Date.now() - DAY_MS }, 'CERT_HAS_EXPIRED'],
    ['not yet valid', { validFromMs: Date.now() + DAY_MS, validToMs: Date.now() + 2 * DAY_MS }, 'CERT_NOT_YET_VALID'],
  ])('that is %s is TLS_CERT_EXPIRED', async (_what, validity, reason) => {
    const { port, ca } = await serveTls({ ...validity, addresses: ['127.0.0.1'] });
    const reply = await get(`https://127.0.0.1:${port}/`, {}, { ca });
    expect(reply).toMatchObject(failed('TLS_CERT_EXPIRED', false, null));
    expect(reply).toMatchObject({ headMs: null, error: { message: expect.stringContaining(reason) } });
  });

  it.each([
    ['by itself', {}, 'SELF_SIGNED'],
    ['by somebody unknown', { issuer: 'nobody' }, 'UNABLE_TO_'],
  ])('signed %s is TLS_CERT_UNTRUSTED', async (_what, signer, reason) => {
    const { port } = await serveTls({ ...signer, addresses: ['127.0.0.1'] });
    const another = selfSigned().cert;
    for (const ca of [[], [another]]) {
      const reply = await get(`https://127.0.0.1:${port}/`, {}, { ca });
      expect(reply).toMatchObject(failed('TLS_CERT_UNTRUSTED', false, null));
      expect(reply).toMatchObject({ error: { message: expect.stringContaining(reason) } });
    }
  });

  it.each([
    ['another name', { names: ['other.test'] }, 'site.test'],
    ['a name, not the address', { names: ['site.test'] }, '127.0.0.1'],
    ['another address', { addresses: ['127.0.0.2'] }, '127.0.0.1'],
    ['names one level higher', { names: ['*.test'] }, 'a.site.test'],
  ])('for %s is TLS_NAME_MISMATCH', async (_what, names, host) => {
    const { port, ca } = await serveTls(names);
    const reply = await get(`https://${host}:${port}/`, {}, { ca, lookup: toLoopback });
    expect(reply).toMatchObject(failed('TLS_NAME_MISMATCH', false, null));
  });
});

describe('a handshake', () => {
  it('that the server knows nothing of is TLS_FAILED', async () => {
    const site = await keep(
      listen(createTcpServer((socket) => socket.on('error', () => socket.destroy()).end('hello\r\n'))),
    );
    expect(await get(`https://127.0.0.1:${site.port}/`)).toMatchObject(failed('TLS_FAILED', false, null));
  });

  it('in no version that both sides speak is TLS_FAILED', async () => {
    const old = createServer({ ...selfSigned(), minVersion: 'TLSv1', maxVersion: 'TLSv1' }, (_req, res) => res.end());
    const site = await keep(listen(old));
    expect(await get(`https://127.0.0.1:${site.port}/`)).toMatchObject(failed('TLS_FAILED', false, null));
  });
});

it('refuses certificate authorities that are none, before the first request', () => {
  expect(() => createFetcher({ allowPrivateNetworks: true, ca: ['nonsense'] })).toThrow();
});
