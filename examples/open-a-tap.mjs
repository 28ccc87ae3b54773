// An agent lets its user read along: `hookwright why --follow` and `hookwright record` find the socket by themselves.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createHooks } from 'hookwright';
import { openTap } from 'hookwright/tap';

const hooks = await createHooks();
hooks.on('BeforeTool', () => ({ decision: 'deny', reason: 'not on a Friday' }), { name: 'friday' });

// Left out, the directory is the one in which `hookwright why --follow` looks.
const directory = mkdtempSync(join(tmpdir(), 'hookwright-example-'));
const tap = await openTap(hooks.bus, { name: 'my-agent', directory });

// What `hookwright why --follow` does: read lines. The first is a header, every other one a message.
const reader = createInterface(connect(tap.path));
const [header] = await once(reader, 'line');
console.log(`reading along with ${JSON.parse(header).name}`);
reader.on('line', (line) => console.log(JSON.parse(line).message.type));

await hooks.beforeTool({ tool: 'deploy', input: { password: 'hunter2' } });
await tap.close();
await hooks.close();
rmSync(directory, { recursive: true });
