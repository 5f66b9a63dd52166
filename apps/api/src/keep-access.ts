/**
 * Turns the access that came with a request into what may be kept of it: sealed for its source, with what may be shown. Refuses
 * what the address guard would; what an access may be at all, its schema says.
 */
import { type AccessInput, bindAccess, type SiteAccess, type SourceId, summaryOf } from '@trawl/contracts';
import type { KeptAccess } from '@trawl/db';
import { privateAddressProblem } from '@trawl/fetcher';
import { ACCESS_OF_ONE_PAGE, accessOf, sealAccess, type Vault } from '@trawl/runtime';
import type { InputError } from './bad-input.ts';
import type { ApiSettings } from './deps.ts';

export function accessErrors(
  access: AccessInput | null | undefined,
  deps: { readonly vault: Vault; readonly settings: Pick<ApiSettings, 'allowPrivateNetworks'> },
): InputError[] {
  if (!access) return [];
  const { proxy } = access;
  // Its login is part of the address, and no sentence of the guard has more than the host.
  const problem = proxy === undefined || deps.settings.allowPrivateNetworks ? null : privateAddressProblem(proxy);
  return [
    ...(deps.vault.fingerprint('') === null
      ? [{ path: 'access', message: "can't be kept: SECRET_KEY is not set; docs/configuration.md says how" }]
      : []),
    ...(problem === null ? [] : [{ path: 'access.proxy', message: problem }]),
  ];
}

/** Bound to its hosts here, so that a source whose start pages are changed later takes it nowhere else. */
export function keepAccess(
  input: AccessInput,
  source: { readonly id: SourceId; readonly startUrls: readonly string[] },
  vault: Vault,
): KeptAccess {
  const access = bindAccess(input, source.startUrls);
  return { sealed: seal(access, accessOf(source.id), vault), summary: summaryOf(access) };
}

/** For one page, which belongs to no source. */
export const sealForPage = (input: AccessInput, url: string, vault: Vault): string =>
  seal(bindAccess(input, [url]), ACCESS_OF_ONE_PAGE, vault);

function seal(access: SiteAccess, purpose: string, vault: Vault): string {
  const sealed = sealAccess(vault, access, purpose);
  if (sealed === null) throw new Error('there is no key, which accessErrors was to say');
  return sealed;
}
