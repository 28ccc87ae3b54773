import type { Answer, Said } from '../../merging/index.ts';
import type { DialectEnd } from '../../protocol/index.ts';

export type { Answer, Said } from '../../merging/index.ts';

export type Ended = DialectEnd;

export const silent: Answer = { swallowed: [] };

export const said = (what: Said, ...swallowed: string[]): Answer =>
  Object.values(what).every((value) => value === undefined) ? { swallowed } : { said: what, swallowed };

export const failed = (why: string, ...swallowed: string[]): Answer => ({ failed: why, swallowed });
