import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import { MessageBus } from '../../../src/index.ts';
import { describeBus } from '../../../src/testing/index.ts';
import { natsTransport } from '../../../src/transports/index.ts';
import { hasNatsServer, type NatsServer, startNatsServer, withNats } from '../../support/nats-server.ts';

describe.skipIf(!hasNatsServer)(withNats('a bus over NATS'), () => {
  let server: NatsServer;
  let buses = 0;
  beforeAll(async () => {
    server = await startNatsServer();
  });
  afterAll(() => server.stop());

  const createBus = (): MessageBus => {
    buses += 1;
    const transport = natsTransport({ servers: server.url, prefix: `suite.${buses}` });
    onTestFinished(() => transport.close());
    return new MessageBus({ transport });
  };
  describeBus('NATS', createBus, { inline: false, knowsListeners: false, remote: true });
});
