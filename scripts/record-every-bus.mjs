// Loaded before a program (`node --import`): records its bus from the first look at it, without a change to the program.
import { MessageBus } from 'hookwright';
import { record } from 'hookwright/recorder';

const recorded = new WeakSet();

const recordFirst = (bus) => {
  if (recorded.has(bus)) return;
  recorded.add(bus);
  record(bus, { file: process.env.HOOKWRIGHT_RECORD_TO });
};

for (const method of ['publish', 'isServed', 'isHeard', 'isWatched']) {
  const original = MessageBus.prototype[method];
  MessageBus.prototype[method] = function (...args) {
    recordFirst(this);
    return original.apply(this, args);
  };
}
