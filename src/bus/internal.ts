/** The door of the bus for other folders of `src`: lists the exports that are not public. */
export { createId } from './message-bus.ts';
