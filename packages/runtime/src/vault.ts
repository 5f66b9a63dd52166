/**
 * Keeps secrets in places that others can read: sealed with AES-256-GCM under a key that only the environment knows. What is
 * sealed says what it is for, and can be opened for that alone. Stores nothing.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

export interface Vault {
  /** Null: there is no key. */
  seal(text: string, purpose: string): string | null;
  /** Null: not by any of our keys, or not for this purpose. */
  open(sealed: string, purpose: string): string | null;
  /** The same for the same text, and of no use to whoever wants to guess it without our key. Null: there is no key. */
  fingerprint(text: string): string | null;
}

const CIPHER = 'aes-256-gcm';
const VERSION = '1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key seals; all of them open, so that a new one can take over. */
export function createVault(keys: readonly Buffer[]): Vault {
  const byName = new Map(keys.map((key) => [nameOf(key), key]));
  const [first] = keys;
  return {
    seal(text, purpose) {
      if (first === undefined) return null;
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, first, iv).setAAD(Buffer.from(purpose));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return [VERSION, nameOf(first), Buffer.concat(parts).toString('base64url')].join('.');
    },

    open(sealed, purpose) {
      const [version, name = '', body = ''] = sealed.split('.');
      const key = byName.get(name);
      const bytes = Buffer.from(body, 'base64url');
      if (version !== VERSION || key === undefined || bytes.length < IV_BYTES + TAG_BYTES) return null;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        // How it says that the tag is not one that our key made for this.
        return null;
      }
    },

    fingerprint: (text) => (first === undefined ? null : createHmac('sha256', first).update(text).digest('base64url')),
  };
}

/** Tells keys apart without saying anything of them. */
const nameOf = (key: Buffer): string =>
  createHash('sha256').update('trawl key').update(key).digest('base64url').slice(0, 8);
