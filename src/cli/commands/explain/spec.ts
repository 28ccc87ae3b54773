/** The command line of `explain`: arguments, flags, examples and exit codes. */
import { agentAndModeFlags } from '../../agents/agent-flags.ts';
import { payloadFlags } from '../../arguments/flags.ts';
import { defineSpec } from '../../arguments/spec.ts';

export const explainSpec = defineSpec({
  name: 'explain',
  summary: 'show for each configured hook whether it would run, and every reason why not',
  description: [
    'Runs nothing. Shows for each hook whether it would run, every reason why not with its fix, how its matcher is read, its location, and its command. Entries under an unknown event name are shown with the event that was probably meant.',
  ],
  arguments: [
    {
      name: 'event',
      summary: 'the event, such as BeforeTool; default: all',
      complete: 'events',
    },
  ],
  flags: {
    ...payloadFlags,
    trigger: {
      kind: 'text',
      value: 'word',
      summary: 'the value for matchers of session events, such as startup',
    },
    hook: { kind: 'text', value: 'name', summary: 'only the hook of this name or id', complete: 'hooks' },
    ...agentAndModeFlags,
  },
  examples: {
    'hookwright explain BeforeTool --tool Bash': 'would my hooks see a call of the tool Bash?',
    'hookwright explain PreToolUse --tool Bash --agent claude-code':
      'what would Claude Code do here, and which errors would it hide?',
    'hookwright explain BeforeTool --tool Bash --input \'{"tool_input": {"command": "git push"}}\'':
      'which hooks with an `if` apply to this call?',
    'hookwright explain': 'all hooks of all events, and why some do not run',
    'hookwright explain BeforeTool --input \'{"tool_name": "Bash"}\' --json': 'the same, from a payload and as data',
  },
  exit: {
    ok: 'every hook can run, or is switched off on purpose',
    findings: 'a hook can never run: a typo, a missing program, no approval',
  },
});
