export { findBrowser } from './find-browser.ts';
export type {
  Moved,
  RenderDocument,
  RenderError,
  Rendered,
  RenderFailure,
  RenderOutcome,
  RenderReply,
  RenderRequest,
} from './render.ts';
export { createRenderer, type Renderer, type RendererFacts, type RendererOptions } from './renderer.ts';
