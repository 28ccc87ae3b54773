// A lane runs the hooks of one type. This one asks rules that the program itself keeps, by the name of the rule.
import { createHooks } from 'hookwright';

const rules = {
  'no-secrets': ({ tool_input }) =>
    tool_input.path.endsWith('.env') ? { decision: 'deny', reason: 'secrets stay where they are' } : undefined,
};

const ruleLane = {
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
          { type: 'rule', name: 'no-secrets' },
          { type: 'rule', name: 'forgotten', onFault: 'ask' },
        ],
      },
    ],
  },
  deps: { lanes: { rule: ruleLane } },
});
for (const path of ['.env', 'README.md']) {
  const { verdict, reason } = await hooks.beforeTool({ tool: 'read_file', input: { path } });
  console.log(`${path}: ${verdict}, ${reason}`);
}
await hooks.close();
