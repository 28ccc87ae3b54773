/** A socket through which a running agent can be watched, by its user alone. This door is for users. */
export { openTap, type Tap, type TapOptions } from './open-tap.ts';
