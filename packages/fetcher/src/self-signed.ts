/** Makes certificates for this package's tests, so that no private key has to be kept with the sources. */
import { generateKeyPairSync, sign } from 'node:crypto';

export interface CertificateOptions {
  /** Host names it is for, as subjectAltName. Default none. */
  readonly names?: readonly string[];
  /** IPv4 addresses it is for, as subjectAltName. Default none. */
  readonly addresses?: readonly string[];
  /** Who is said to have signed it. Default: itself. */
  readonly issuer?: string;
  /** Default: from yesterday to tomorrow. */
  readonly validFromMs?: number;
  readonly validToMs?: number;
}

const DAY_MS = 86_400_000;
const SUBJECT = 'loopback';

export function selfSigned(options: CertificateOptions = {}): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = der(0x30, oid('2a8648ce3d040302'));
  const { validFromMs = Date.now() - DAY_MS, validToMs = Date.now() + DAY_MS } = options;
  const toBeSigned = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3, the one with extensions
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    commonName(options.issuer ?? SUBJECT),
    der(0x30, utcTime(validFromMs), utcTime(validToMs)),
    commonName(SUBJECT),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...alternativeNames(options),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, privateKey));
  const certificate = der(0x30, toBeSigned, ecdsaWithSha256, signature);
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

function alternativeNames({ names = [], addresses = [] }: CertificateOptions): Buffer[] {
  if (names.length === 0 && addresses.length === 0) return [];
  const all = der(
    0x30,
    ...names.map((name) => der(0x82, Buffer.from(name))),
    ...addresses.map((address) => der(0x87, Buffer.from(address.split('.').map(Number)))),
  );
  return [der(0xa3, der(0x30, der(0x30, oid('551d11'), der(0x04, all))))];
}

const commonName = (name: string): Buffer =>
  der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from(name)))));

/** One DER element: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const lengthBytes = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

const utcTime = (at: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`));
