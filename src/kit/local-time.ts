import { once } from './once.ts';

const format = once(() => new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }));

/** 2026-11-19 14:30, in the time zone of the user. */
export const localTime = (ms: number): string => format().format(ms);
