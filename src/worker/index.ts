export { type ServedContext, type ServedHook, serveHook } from './serve-hook.ts';
