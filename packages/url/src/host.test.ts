import { describe, expect, it } from 'vitest';
import { hostKey } from './host.ts';

describe('hostKey', () => {
  it.each([
    ['https://www.Example.com:8443/a?b', 'example.com'],
    ['http://example.com./', 'example.com'],
    ['http://docs.example.com/', 'docs.example.com'],
    ['http://www.com/', 'www.com'],
    ['http://127.0.0.1:9000/', '127.0.0.1'],
    ['http://[::1]:9000/', '[::1]'],
  ])('counts %s under %s', (url, host) => {
    expect(hostKey(url)).toBe(host);
  });
});
