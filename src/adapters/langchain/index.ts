/** Hooks around an agent of LangChain 1, as middleware of its `createAgent`. */
export { type ChatModelLike, fromLanguageModel, type HooksMiddlewareOptions, hooksMiddleware } from './middleware.ts';
