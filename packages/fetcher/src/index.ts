export { isGlobalAddress, privateAddressProblem } from './address-guard.ts';
export {
  createFetcher,
  type FetchError,
  type Fetcher,
  type FetcherOptions,
  type FetchReply,
  type FetchRequest,
  type TextReply,
  type TextRequest,
} from './fetcher.ts';
