import type { LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { guardedLookup, isGlobalAddress, privateAddressProblem } from './address-guard.ts';

describe('isGlobalAddress', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '2001:200::1',
    '2001:470::1',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '3ffe:ffff::1',
    '3fff:1000::1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '64:ff9b::8.8.8.8',
    '64:ff9b:0:0:0:0:808:808',
  ])('lets %s be dialled', (ip) => {
    expect(isGlobalAddress(ip)).toBe(true);
  });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.1.2.3',
    '100.64.0.1',
    '100.100.100.200',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:10.0.0.1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:0:8.8.8.8',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b::',
    '64:ff9b::1',
    '64:ff9b:1::8.8.8.8',
    '100::1',
    '2001::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'example.com',
    '',
    '8.8.8',
  ])('refuses %s', (ip) => {
    expect(isGlobalAddress(ip)).toBe(false);
  });
});

describe('privateAddressProblem', () => {
  it.each([
    'http://localhost/',
    'http://LOCALHOST:8080/x',
    'http://localhost./',
    'http://localhost../',
    'http://127.0.0.1../',
    'http://api.localhost/',
    'http://a.b.localhost./',
    'http://127.0.0.1/',
    'http://127.0.0.1./',
    'http://127.1/',
    'http://127.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://%31%32%37.0.0.1/',
    'http://１２７.0.0.1/',
    'http://127。0。0。1/',
    'http://0/',
    'http://0.0.0.0:80/',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://[::1]/',
    'http://[::]/',
    'http://[0000:0000::0001]:3000/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'https://user@192.168.0.1/',
  ])('names the setting that would allow %s', (url) => {
    expect(privateAddressProblem(url)).toMatch(/not on the public internet; ALLOW_PRIVATE_NETWORKS=true allows it\.$/);
  });

  it.each([
    'http://example.com/',
    'http://notlocalhost/',
    'http://localhost.example.com/',
    'http://8.8.8.8/',
    'http://134744072/',
    'http://[2606:4700::1111]/',
    'http://10.0.0.1.example.com/',
    'not a url',
  ])('has nothing against %s', (url) => {
    expect(privateAddressProblem(url)).toBeNull();
  });
});

describe('guardedLookup', () => {
  const resolve = (answers: readonly string[][], all: boolean) => {
    let calls = 0;
    const lookup: LookupFunction = (_hostname, _options, callback) => {
      const addresses = answers[calls++] ?? [];
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return new Promise<unknown>((done) => {
      guardedLookup(lookup)('host.test', { all }, (error, found) =>
        done({ calls, found: error ? (error as NodeJS.ErrnoException).code : found }),
      );
    });
  };

  it('yields only the global addresses of a name that has both', async () => {
    const answer = ['10.0.0.1', '8.8.8.8', '::1', '2606:4700::1111'];
    expect(await resolve([answer], true)).toEqual({
      calls: 1,
      found: [
        { address: '8.8.8.8', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    });
    expect(await resolve([answer], false)).toEqual({ calls: 1, found: '8.8.8.8' });
  });

  it('asks once, so that the address checked is the address dialled', async () => {
    expect(await resolve([['8.8.8.8'], ['127.0.0.1']], false)).toEqual({ calls: 1, found: '8.8.8.8' });
  });

  it('refuses a name without any global address', async () => {
    expect(await resolve([['127.0.0.1', '::1']], true)).toMatchObject({ found: 'PRIVATE_ADDRESS' });
    expect(await resolve([[]], true)).toMatchObject({ found: 'PRIVATE_ADDRESS' });
  });

  it('checks the answer of a lookup that yields one address in spite of being asked for all', async () => {
    const lookup: LookupFunction = (_hostname, _options, callback) => callback(null, '127.0.0.1', 4);
    const error = await new Promise<unknown>((done) => guardedLookup(lookup)('host.test', {}, done));
    expect(error).toMatchObject({ code: 'PRIVATE_ADDRESS' });
  });
});
