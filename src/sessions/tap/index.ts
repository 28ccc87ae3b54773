/** Entry `hookwright/tap`: a socket at which only the user of a running agent can read its messages. */
export { openTap, type Tap, type TapOptions } from './open-tap.ts';
