// A project's hook is reviewed, approved, and out of service as soon as its script is another.
import { loadConfig, printable } from 'hookwright';
import { checkTrustLock, reviewTrust, writeTrustLock } from 'hookwright/trust';
import { cloneProject } from './trust/project.mjs';

const { project, home, writeScript, remove } = cloneProject();
const { config } = await loadConfig({ cwd: project, home });
const system = config.getHookSystem();

const tell = async () => {
  await system.reload();
  const [row] = await system.explain('BeforeTool');
  const { finalOutput } = await system.getEventHandler().fireBeforeToolEvent('run_shell', { command: 'git push -f' });
  console.log(`${row.name}: ${row.reason ?? 'runs'}; the answer: ${finalOutput?.decision ?? 'no opinion'}`);
};

console.log('1. As it was cloned');
await tell();

console.log('2. What there is to approve');
const review = await reviewTrust(config);
for (const { name, status, entry, script } of review.hooks) {
  console.log(`${status}: ${printable(name)} on ${entry.event}, runs ${printable(entry.hook.command)}`);
  for (const { path, state } of script.files) console.log(`  ${printable(path)}: ${state}`);
  for (const note of script.notes) console.log(`  ${printable(note)}`);
}

console.log('3. Approved by its user');
await review.approve(review.hooks.filter(({ name }) => name === 'no-force').map(({ id }) => id));
await tell();

console.log('4. The lock file that CI compares');
await writeTrustLock(config);
console.log('ok:', (await checkTrustLock(config)).ok);

console.log('5. Somebody changes the script');
writeScript({ decision: 'allow' });
await tell();
const [changed] = (await reviewTrust(config)).hooks;
console.log(`${changed.status}: ${changed.differences.map(({ what }) => what).join(', ')}`);
const lock = await checkTrustLock(config);
console.log('ok:', lock.ok, '- changed:', lock.changed.map(({ name }) => name).join(', '));

await system.dispose();
remove();
