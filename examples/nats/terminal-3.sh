cat > agent.mjs <<'END'
import { createHooks, MessageBus } from 'hookwright';
import { natsTransport } from 'hookwright/nats';

const transport = natsTransport({ servers: 'nats://127.0.0.1:4222', name: 'agent-1' });
const hooks = await createHooks({ team: new MessageBus({ transport }), cwd: '/home/me/project' });

for (const command of ['ls', 'rm -rf build']) {
  const { output, blocked } = await hooks.callTool('shell', { command }, () => `ran ${command}`);
  console.log(blocked ? `not run: ${blocked.reason}` : output);
}
await hooks.close();
await transport.close();
END
node agent.mjs
