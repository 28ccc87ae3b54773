export { openTap, type Tap, type TapOptions } from './open-tap.ts';
