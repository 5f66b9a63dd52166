/**
 * How Chromium is started: which of its ways around our proxies are closed, and what it is not told. Does not start it.
 * Every flag here is either covered by guard.test.ts or a second line behind one that is.
 */
import type { BrowserType } from 'playwright-core';

type LaunchOptions = NonNullable<Parameters<BrowserType['launchPersistentContext']>[1]>;

/** The one name that resolves inside the browser, to this machine: each context's proxy is there, on its own port. */
export const PROXY_HOST = 'trawl-proxy';

/** Chromium keeps the last list it is given, so this repeats what Playwright (1.65) turns off and a crawler needs off too. */
const DISABLED_FEATURES = [
  // A page must stay what it was fetched as: http is not tried as https first.
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  // Playwright itself goes wrong with these on.
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'DestroyProfileOnBrowserClose',
  'LensOverlay',
  'PaintHolding',
  // What Chromium asks for on its own account.
  'AimEnabled',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'Translate',
  // Two pages of Chromium's own for each window, behind an address bar that nobody sees: 0.6 s of CPU per render.
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
  // Ways past the proxy, or pages nobody sees.
  'AsyncDns',
  'BackgroundFetch',
  'DirectSockets',
  'DnsOverHttps',
  'Prerender2',
];

const ARGS = [
  // No name and no address can be reached except our proxies; applies to addresses as well as to names.
  `--host-resolver-rules=MAP ${PROXY_HOST} 127.0.0.1,MAP * ~NOTFOUND`,
  // Without it Chromium goes to loopback addresses directly. Playwright does the same for each context.
  '--proxy-bypass-list=<-loopback>',
  '--disable-quic',
  // WebRTC sends UDP packets past any proxy, which neither the resolver rules nor the proxy see.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--dns-prefetch-disable',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--disable-pings',
  // What it draws is no text, and takes the memory of a process that all pages share.
  '--disable-3d-apis',
  '--disable-notifications',
  '--disable-print-preview',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  // A page whose script fills its heap ends sooner than V8's own 4 GB; what is outside the heap is for the memory watch.
  '--js-flags=--max-old-space-size=512',
];

/** What Playwright adds for tests, and a crawler wants as a reader has it: no windows of a page's own accord, no flood of history entries. */
const NOT_WANTED = ['--disable-popup-blocking', '--disable-ipc-flooding-protection'];

const START_TIMEOUT_MS = 30_000;

/** `directory` takes the profile and everything else that the browser writes. */
export function launchOptions(executablePath: string, directory: string, sandbox: boolean): LaunchOptions {
  return {
    executablePath,
    headless: true,
    chromiumSandbox: sandbox,
    artifactsDir: directory,
    // Nothing answers to this name: what Chromium asks for on its own account (updates, accounts) goes nowhere.
    proxy: { server: 'http://nowhere.invalid:9' },
    args: ARGS,
    ignoreDefaultArgs: NOT_WANTED,
    env: environment(directory),
    timeout: START_TIMEOUT_MS,
    // The app decides when it ends, and closes the renderer then.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  };
}

/** Not our own environment: it has passwords in it, and a page that breaks out of the browser reads its environment first. */
function environment(directory: string): Record<string, string> {
  const passedOn = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'FONTCONFIG_FILE'];
  const own = passedOn.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // HOME too: crash reports and caches go below it, and their processes name it, by which the janitor finds them.
  return { ...Object.fromEntries(own), HOME: directory, TMPDIR: directory };
}
