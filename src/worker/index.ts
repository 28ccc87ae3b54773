/** What a hook that stays warm is written with: ten lines around a function. This door is for users. */
export { type ServedContext, type ServedHook, serveHook } from './serve-hook.ts';
