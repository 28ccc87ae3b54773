// Look at hooks in the browser. With --stay the page stays open until Ctrl-C: node examples/inspect.mjs --stay
import { createHooks, defineHook } from 'hookwright';
import { openInspector } from 'hookwright/inspector';

const noRm = defineHook({
  event: 'BeforeTool',
  name: 'no-rm',
  run: ({ tool_input }) =>
    tool_input.command.startsWith('rm') ? { decision: 'deny', reason: 'nothing is removed here' } : undefined,
});

const hooks = await createHooks({ hooks: [noRm] });
const inspector = await openInspector(hooks.bus, { name: 'the example' });

for (const command of ['ls', 'rm -rf build', 'npm test']) await hooks.beforeTool({ tool: 'shell', input: { command } });

const page = await fetch(inspector.url);
console.log(`the page: ${page.status}`);
const withoutToken = await fetch(new URL('/', inspector.url));
console.log(`without the token: ${withoutToken.status}`);

if (process.argv.includes('--stay')) {
  console.log(`look at ${inspector.url}; Ctrl-C ends it`);
} else {
  await inspector.close();
  await hooks.close();
}
