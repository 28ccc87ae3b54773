// An observer: it holds the bus, sees everything, and can disturb nothing.
import { createHooks, defineHook } from 'hookwright';

const observe = (bus) => {
  bus.subscribe('hook-execution-trace', ({ eventName, subject, rows }) => {
    console.log(`${eventName} ${subject}`);
    // One row per configured hook: it ran, or the reason why it did not.
    for (const { name, planned, reason, outcome, code, fields } of rows) {
      console.log(
        `  ${name}: ${planned === 'skip' ? `skipped, ${reason}` : [outcome, code].filter(Boolean).join(', ')}`,
      );
      for (const [field, { fate, by }] of Object.entries(fields ?? {})) {
        console.log(`    ${field}: ${fate}${by === undefined ? '' : ` by ${by}`}`);
      }
    }
  });
  bus.subscribe('hook-execution-response', ({ result }) => {
    console.log(`  merged: ${result.finalOutput?.decision ?? 'no opinion'}`);
    throw new Error('an observer that breaks');
  });
  bus.on('error', ({ code, message }) => console.log(`  ${code}: ${message}`));
};

const hook = (name, matcher, run) => defineHook({ event: 'BeforeTool', name, matcher, run });
const hooks = await createHooks({
  hooks: [
    hook('allow-reads', 'read_file', () => ({ decision: 'allow' })),
    hook('only-looks', undefined, () => undefined),
    hook('protect-secrets', 'read_file', () => ({ decision: 'deny', reason: '.env holds secrets' })),
    hook('breaks', '*', () => {
      throw new Error('out of order');
    }),
    hook('no-rm', 'run_shell', () => ({ decision: 'deny' })),
  ],
});
observe(hooks.bus);

const { verdict, reason } = await hooks.beforeTool({ tool: 'read_file', input: { path: '.env' } });
console.log(`the agent got: ${verdict} (${reason})`);
