/** Taps: sockets through which only the user of a running agent can watch it. This door is for users. */
export { openTap, type Tap, type TapOptions } from './open-tap.ts';
