// Holding a transport to what a bus promises. It may come later than at once; everything else is the same.
import { MessageBus } from 'hookwright/bus';
import { describeBus } from 'hookwright/testing';

class LaterBus extends MessageBus {
  publish(message) {
    setImmediate(() => super.publish(message));
  }
}

describeBus('a bus that delivers later', () => new LaterBus(), { inline: false });
