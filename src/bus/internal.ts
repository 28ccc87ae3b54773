/** Lists what other folders of `src` may import from the bus although it is not public. */
export { createId } from './message-bus.ts';
