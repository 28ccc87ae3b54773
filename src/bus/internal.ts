/** The door for the other rooms; index.ts is the one for users. */
export { createId } from './message-bus.ts';
