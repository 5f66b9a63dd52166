/** The access of a source, sealed for where it is kept and opened for who makes its requests. What it may be, and where it goes, `@trawl/contracts` says. */
import { parseSiteAccess, type SiteAccess, type SourceId } from '@trawl/contracts';
import type { Vault } from './vault.ts';

/** What is sealed for one source opens for no other. */
export const accessOf = (sourceId: SourceId): string => `access of ${sourceId}`;
/** Of a page that belongs to no source. */
export const ACCESS_OF_ONE_PAGE = 'access of one page';

export type OpenedAccess =
  /** Null: there is none. */
  | { readonly kind: 'open'; readonly access: SiteAccess | null }
  /** Sealed by a key that this process does not have. */
  | { readonly kind: 'unreadable' };

/** Null: there is no key to seal it with. */
export const sealAccess = (vault: Vault, access: SiteAccess, purpose: string): string | null =>
  vault.seal(JSON.stringify(access), purpose);

export function openAccess(vault: Vault, sealed: string | null, purpose: string): OpenedAccess {
  if (sealed === null) return { kind: 'open', access: null };
  const text = vault.open(sealed, purpose);
  return text === null ? { kind: 'unreadable' } : { kind: 'open', access: parseSiteAccess(text) };
}

export const UNREADABLE_ACCESS = "The source's access was sealed with a SECRET_KEY that this worker does not have.";
