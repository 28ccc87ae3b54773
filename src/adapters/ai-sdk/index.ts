/** Hooks around a model and the tools of the Vercel AI SDK. */

export { type HookedToolsOptions, hookedTools } from './hooked-tools.ts';
export { fromLanguageModel, type HookedModelOptions, hookedModel, type LanguageModelLike } from './model.ts';
