/** The door of the bus for other folders of `src`. Users of the package do not get its exports. */
export { explainBadMessageType, isMessageType } from './delivery-queue.ts';
export { createId } from './message-bus.ts';
