/**
 * For how long no worker with a browser has been seen by this process. To be asked in every round: between two looks that are far apart there
 * may have been one.
 */
export function watchBrowserless(
  anyBrowser: () => Promise<boolean>,
  now: () => number = () => performance.now(),
): () => Promise<number> {
  let since: number | null = null;
  return async () => {
    const isThere = await anyBrowser();
    const at = now();
    if (isThere) since = null;
    else since ??= at;
    return since === null ? 0 : at - since;
  };
}
