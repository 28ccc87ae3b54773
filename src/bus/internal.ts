/**
 * A door of the bus, that is, a file that other folders of `src` may import. Users of the package do not get its
 * exports.
 */
export { explainBadMessageType, isMessageType } from './delivery-queue.ts';
export { createId } from './message-bus.ts';
