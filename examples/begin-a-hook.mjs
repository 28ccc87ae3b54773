// Begins a hook, tries it, and breaks it to see its test fail.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAbilityHooks, scaffoldAbilityHook, testAbilityHooks } from 'hookwright/abilities';

const root = mkdtempSync(join(tmpdir(), 'hookwright-begin-'));

const files = await scaffoldAbilityHook({
  root,
  id: 'guard-migrations',
  eventType: 'PreAbilityCall',
  language: 'node',
  match: { ability_scope: 'run_migration' },
});
for (const { file } of files) console.log(`wrote ${file}`);
console.log(files[0].contents);

const tryIt = async () => {
  const hooks = await loadAbilityHooks(root, { trustedFolder: true });
  for (const { hook_id, ok, message } of await testAbilityHooks(hooks)) {
    console.log(`${hook_id}: ${ok ? 'ok' : message}`);
  }
  await hooks.dispose();
};

await tryIt();
writeFileSync(join(root, files[1].file), 'console.log(JSON.stringify({ hook_signals: [] }));\n');
await tryIt();
rmSync(root, { recursive: true });
