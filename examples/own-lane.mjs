// A lane runs the hooks of one type. This one looks up rules that the program itself keeps, by the name of the hook.
import { createHooks } from 'hookwright';

const rules = {
  'no-secrets': ({ tool_input }) =>
    tool_input.path.endsWith('.env') ? { decision: 'deny', reason: 'secrets stay where they are' } : undefined,
};

const policyLane = {
  run: ({ hook, input, answered, faulted }) => {
    const rule = rules[hook.name];
    return rule === undefined ? faulted('not-supported', `there is no rule ${hook.name}`) : answered(rule(input));
  },
};

const hooks = await createHooks({
  hooks: {
    BeforeTool: [
      {
        hooks: [
          { type: 'policy', name: 'no-secrets' },
          { type: 'policy', name: 'forgotten', onFault: 'ask' },
        ],
      },
    ],
  },
  deps: { lanes: { policy: policyLane } },
  warnings: false,
});
for (const path of ['.env', 'README.md']) {
  const { verdict, reason } = await hooks.beforeTool({ tool: 'read_file', input: { path } });
  console.log(`${path}: ${verdict}, ${reason}`);
}
await hooks.close();
