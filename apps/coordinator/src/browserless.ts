/** For how long there has been no worker with a browser, as far as this process has seen. Not asked more often than it is of use. */
export function watchBrowserless(anyBrowser: () => Promise<boolean>): () => Promise<number> {
  let lastSeen = performance.now();
  return async () => {
    if (await anyBrowser()) lastSeen = performance.now();
    return performance.now() - lastSeen;
  };
}
