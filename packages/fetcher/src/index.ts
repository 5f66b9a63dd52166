export { guardedLookup, isGlobalAddress, privateAddressProblem, resolvedAddressProblem } from './address-guard.ts';
export {
  type AnswerHead,
  type BodyStream,
  createFetcher,
  type FetchError,
  type Fetcher,
  type FetcherOptions,
  type FetchReply,
  type FetchRequest,
  type StreamReply,
  type StreamRequest,
  type TextReply,
  type TextRequest,
  type Validators,
} from './fetcher.ts';
