/** The door of the bus for other folders of `src`: lists exports that users of the package do not get. */
export { explainBadMessageType, isMessageType } from './delivery-queue.ts';
export { createId } from './message-bus.ts';
