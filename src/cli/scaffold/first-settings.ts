import { hookEventNames } from '../../events/index.ts';
import { visibleJson } from '../../kit/index.ts';
import type { HookPlan } from './plan.ts';

/** The settings of a project that begins: what may stand in them, as remarks where it is used. */
export const firstSettings = (eventName: string, { definition }: HookPlan): string => {
  const [{ name, command, canary }] = definition.hooks;
  const others = hookEventNames.filter((other) => other !== eventName);
  return `{
  // Hooks of this project. To see which of them run, and why not: hookwright explain
  "hooks": {
    "${eventName}": [
      {
        // Which tools: a regular expression, case-sensitive. Without it, all tools.
        // "matcher": "Bash|run_shell_command",
        "hooks": [
          {
            "name": "${name}",
            "command": ${visibleJson(JSON.stringify(command ?? ''))},
            "timeout": "10s",
            // If the hook itself fails: allow (the default), ask, or deny.
            "onFault": "ask",
            // A call that it has to refuse: hookwright doctor tries it, and so does each session.
            "canary": ${visibleJson(JSON.stringify(canary))}
          }
        ]
      }
    ]
    // Other events: ${others.slice(0, 5).join(', ')},
    // ${others.slice(5, 10).join(', ')},
    // ${others.slice(10).join(', ')}
  }
  // Hooks that are switched off, by name. hookwright disable writes this.
  // "hooksConfig": { "disabled": ["${name}"] }
}
`;
};
