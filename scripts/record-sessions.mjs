// Records the sessions that the tests replay, by running the examples as they are.
//   node scripts/record-sessions.mjs [<example> …]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, run } from './tools.mjs';

const examples = ['demo', 'define-hook', 'embed', 'observer', 'streaming-model'];
const wanted = process.argv.slice(2);
const sessions = join(root, 'test/fixtures/sessions');
const work = mkdtempSync(join(tmpdir(), 'hookwright-sessions-'));
/** Where an example makes its project, as far as its hooks mention it. */
const temporary = new RegExp(`${tmpdir().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[\\/]hookwright-[\\w-]+`, 'g');
const preload = pathToFileURL(join(root, 'scripts/record-every-bus.mjs')).href;

try {
  mkdirSync(sessions, { recursive: true });
  for (const name of wanted.length > 0 ? wanted : examples) {
    const file = join(work, `${name}.jsonl`);
    const env = { ...process.env, HOOKWRIGHT_RECORD_TO: file };
    const { code, output } = await run(process.execPath, ['--import', preload, join(root, 'examples', `${name}.mjs`)], {
      env,
    });
    if (code !== 0) throw new Error(`examples/${name}.mjs ended with ${code}:\n${output}`);
    const session = readFileSync(file, 'utf8').replaceAll(temporary, '/project');
    // What stands in a fixture is the same wherever it was recorded.
    for (const place of [tmpdir(), root, process.env.HOME]) {
      if (place && session.includes(place))
        throw new Error(`the session of ${name} has a path of this machine: ${place}`);
    }
    writeFileSync(join(sessions, `${name}.jsonl`), session);
    console.log(`${name}: ${session.trimEnd().split('\n').length - 1} messages, ${session.length} characters`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
