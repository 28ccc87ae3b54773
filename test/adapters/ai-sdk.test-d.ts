import type { LanguageModelV3 } from '@ai-sdk/provider';
import { type generateText, type ToolSet, tool } from 'ai';
import type { MockLanguageModelV4 } from 'ai-7/test';
import { z } from 'zod';
import { hookedModel, hookedTools } from '../../src/adapters/ai-sdk/index.ts';
import type { Hooks } from '../../src/index.ts';

// Checked by the compiler and never run: what comes back goes wherever what was given went.

declare const hooks: Hooks;
declare const model: LanguageModelV3;
declare const newer: MockLanguageModelV4;
declare const ask: typeof generateText;

const ls = tool({ inputSchema: z.object({ path: z.string() }), execute: ({ path }) => [path] });

export const hooked: LanguageModelV3 = hookedModel(hooks, model);
export const hookedNewer: MockLanguageModelV4 = hookedModel(hooks, newer, { stream: 'live' });
export const tools: { ls: typeof ls } = hookedTools(hooks, { ls });
export const anyTools = (given: ToolSet): ToolSet => hookedTools(hooks, given);
export const answered = ask({ model: hooked, tools, prompt: 'Hi.' }).then(({ toolResults }) => toolResults);

// @ts-expect-error: a model by its name is made into one first
hookedModel(hooks, 'openai/gpt-5');
// @ts-expect-error: hooks come first
hookedTools({ ls }, hooks);
// @ts-expect-error: no such way to stream
hookedModel(hooks, model, { stream: 'later' });
