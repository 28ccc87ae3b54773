/** Titles and descriptions of all members of settings files, shown by editors and the documentation. */
import type { HookConfig, HookDefinition, settingsSections } from '../../protocol/index.ts';

export interface MemberTexts {
  readonly title: string;
  readonly description: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

/** `action` is a function, so files cannot have it. */
type HookInFile = Omit<HookConfig, 'action'>;
type Sections = ReturnType<typeof settingsSections>;

export const hookMemberTexts: { readonly [Key in keyof Required<HookInFile> | 'async']: MemberTexts } = {
  type: {
    title: 'Type',
    description:
      'How the hook is run: `command` starts a program, `http` sends a request, `worker` sends it to a process that stays alive, `rule` answers with its `verdict` and starts nothing, `prompt` asks the model of the host, `mcp` calls a tool of an MCP server of the host.',
    default: 'command',
  },
  name: {
    title: 'Name',
    description: 'The name of the hook, also for switching it off. Default: the command.',
    examples: ['no-rm'],
  },
  description: { title: 'Description', description: 'What the hook is for. For people; the engine does not read it.' },
  statusMessage: {
    title: 'Status message',
    description: 'What a user interface may show while the hook runs.',
    examples: ['Checking the command'],
  },
  if: {
    title: 'Only for some calls',
    description:
      'Which tool calls the hook is for: the name of a tool, and in brackets its command, path or address, with `*` for any text. One pattern or several, compared with each call before the hook is started.',
    examples: ['run_shell(git push *)', ['Edit(.env)', 'Write(.env)']],
  },
  verdict: { title: 'Verdict', description: 'The verdict of a `rule`: `deny`, or `ask` to let a person decide.' },
  reason: {
    title: 'Reason',
    description: 'Why a `rule` denies or asks. The model and the user read it.',
    examples: ['Force pushes are not allowed here'],
  },
  command: {
    title: 'Command',
    description:
      'A command line, as in a shell. It gets the event as JSON on standard input and answers with JSON, a text or an exit code. Variables such as $HOOKWRIGHT_PROJECT_DIR are filled in when it runs, each as one word. With `args` it is the program alone.',
    examples: ['./hooks/no-rm.sh', 'node "$HOOKWRIGHT_PROJECT_DIR/hooks/check.mjs"'],
  },
  args: {
    title: 'Arguments',
    description: 'Arguments, passed literally, without a shell.',
    examples: [['--strict', '$HOME/rules.json']],
  },
  shell: {
    title: 'Shell',
    description: 'The shell that reads the command. Default: bash if there is one, else sh; PowerShell on Windows.',
    examples: ['bash', 'pwsh'],
  },
  prompt: {
    title: 'Prompt',
    description:
      'What a `prompt` hook asks the model. `$ARGUMENTS` stands for the event as JSON; without it the event follows the text. The model answers `{"ok": true}`, `{"ok": false, "reason": "…"}` or any answer of a hook.',
    examples: ['Does this command touch production? $ARGUMENTS'],
  },
  server: {
    title: 'MCP server',
    description: 'The server whose tool an `mcp` hook calls, by the name that the host gives it.',
    examples: ['policy'],
  },
  tool: { title: 'MCP tool', description: 'The tool that an `mcp` hook calls.', examples: ['check_command'] },
  input: {
    title: 'Arguments of the tool',
    description:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: how users write it
      'What the tool of an `mcp` hook gets. `${tool_input.command}` stands for that field of the event; a text that is nothing else keeps the type of the field. A field that the event lacks is a fault.',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: how users write it
    examples: [{ command: '${tool_input.command}' }],
  },
  url: {
    title: 'Address',
    description: 'Where an `http` hook sends the event.',
    examples: ['https://hooks.example/before-tool'],
  },
  headers: {
    title: 'Headers',
    description:
      'Headers of the request. Variables in them are filled in when the request is sent, but only those in allowedEnvVars.',
    examples: [{ authorization: 'Bearer $HOOK_TOKEN' }],
  },
  allowedEnvVars: {
    title: 'Variables for headers',
    description: 'Variables that headers may use.',
    examples: [['HOOK_TOKEN']],
  },
  secrets: {
    title: 'Secrets it needs',
    description:
      'Variables that look like secrets and that a hook of a project or an extension needs. It gets those that the user allows by name when approving it.',
    examples: [['DEPLOY_TOKEN']],
  },
  timeout: {
    title: 'Timeout',
    description:
      'How long the hook may take: milliseconds, or a text with a unit (`500ms`, `5s`, `2m`, `1h`). Then it is killed, with everything it started.',
    default: 60_000,
    examples: [5_000, '5s'],
  },
  env: {
    title: 'Environment',
    description: 'Variables for the program, in addition to those it inherits.',
    examples: [{ RULES: '$HOOKWRIGHT_PROJECT_DIR/rules.json' }],
  },
  cwd: {
    title: 'Directory',
    description: 'Where the program runs. Default: the working directory of the session.',
    examples: ['/srv/hooks'],
  },
  onFault: {
    title: 'On a fault',
    description:
      'What happens if the hook itself fails (a timeout, a crash, output that cannot be read): `allow` continues without it, `deny` denies, `ask` asks the user.',
    default: 'allow',
  },
  warm: {
    title: 'Warm',
    description:
      'Whether the next process of the command is started before its event. For hooks that read all of their input before they do anything; see workers.md.',
    default: false,
  },
  watch: {
    title: 'Files to watch',
    description:
      'More files that a process started ahead depends on, besides those in the command: if one of them changes, the process is not used.',
    examples: [['rules.json']],
  },
  advisory: {
    title: 'Advice only',
    description:
      'Whether only the messages and the context of the hook count: it can neither decide nor change anything, and the event does not wait for it beyond its `budgetMs`. Not together with `onFault` `deny` or `ask`.',
    default: false,
  },
  recheck: {
    title: 'Ask once more',
    description:
      'Whether the hook runs again if other hooks changed the tool call that it checked. Default: true if `onFault` is `deny` or `ask`, and for hooks of the user and the system if a less trusted source changed the call. `false` is for hooks with side effects.',
  },
  canary: {
    title: 'Canary',
    description:
      'A call that a guard has to refuse, or several. It is run through the guard when a session starts, by `doctor`, `trust` and `test`; a guard that lets it pass obeys its `onFault` until it does not. The input of the hook then says `"canary": true`.',
    examples: [{ tool_name: 'Bash', tool_input: { command: 'rm -rf /' } }],
  },
  leaveBackground: {
    title: 'Leave background processes',
    description: 'Whether background processes of the hook may go on after it has answered.',
    default: false,
  },
  agent: {
    title: 'Written for',
    description:
      'The agent that the script was written for. The rules of that agent then apply: names of tools, matcher, stdin, environment and answers. `timeout` and `onFault` keep their meaning.',
    examples: ['claude-code', 'cursor'],
  },
  agentVersion: {
    title: 'Version of that agent',
    description: 'The version whose rules count. Default: the newest that is known.',
    examples: ['2.1.296'],
  },
  agentEvent: {
    title: 'Event of that agent',
    description:
      'The event by the name it has there, where the agent has several for this one. Default: its first for any tool.',
    examples: ['beforeShellExecution'],
  },
  background: {
    title: 'In the background',
    description:
      'Whether the event goes on without waiting for the hook: its verdicts and changes have no effect, its context and message reach the next event that takes them. Not for guards: the event waits for them.',
    default: false,
  },
  async: {
    title: 'In the background',
    description: 'Another name of `background`, which other agents use.',
    default: false,
  },
  maxStops: {
    title: 'Times it may send the agent on',
    description:
      'How often in a row a hook of AfterAgent or SubagentStop may keep the agent from stopping; then its block stops the agent. `null` for no limit. Default: 8, and for a hook of an `agent` its limit too.',
    examples: [5],
  },
};

export const groupMemberTexts: { readonly [Key in keyof Required<HookDefinition> | 'description']: MemberTexts } = {
  matcher: {
    title: 'Matcher',
    description:
      'When the hooks run. For tools, a regular expression for the tool name; for sessions and compression, the whole value. Missing, empty or `*`: always.',
    examples: ['write_file|replace', '^mcp_', 'startup'],
  },
  sequential: {
    title: 'One after another',
    description: 'Runs the hooks of the event one after another, each with the changes of the one before.',
    default: false,
  },
  description: { title: 'Description', description: 'What the group is for. For people; the engine does not read it.' },
  hooks: { title: 'Hooks', description: 'The hooks of the group, in their order.' },
};

export const sectionMemberTexts: {
  readonly [S in keyof Sections]: { readonly [Key in keyof Sections[S]]: MemberTexts };
} = {
  hooksConfig: {
    enabled: {
      title: 'On or off',
      description:
        "Whether hooks run. In the user's or the system's settings `false` switches off the hooks of all files, in a project's settings those of the project.",
      default: true,
    },
    disabled: {
      title: 'Switched off by name',
      description:
        "Names (or commands) of hooks that do not run. The user's and the system's lists are for all hooks, a project's is for its own.",
      default: [],
      examples: [['no-rm']],
    },
    notifications: {
      title: 'Notifications',
      description: 'Whether a user interface shows what hooks do. For the agent; the engine does not read it.',
    },
  },
  tools: {
    enableHooks: {
      title: 'On or off',
      description: 'The older name of hooksConfig.enabled. If one of the two is false, hooks are off.',
    },
  },
};

export const topLevelTexts = {
  $schema: {
    title: 'Schema',
    description: 'The schema of this file, for editors. The engine does not read it.',
  },
  hooks: {
    title: 'Hooks',
    description: 'The hooks, by event: a list of groups for each, a group being a matcher and its hooks.',
  },
  hooksConfig: { title: 'Switches', description: 'What runs, and what does not.' },
  budgetMs: {
    title: 'Budgets',
    description:
      'Milliseconds that all hooks of an event together may take, by event. If they take longer, the trace names the slowest, and `advisory` hooks are ended.',
    examples: [{ BeforeTool: 500 }],
  },
  tools: { title: 'Tools', description: 'Settings of tools; one of them is about hooks.' },
  description: {
    title: 'Description',
    description: 'What the hooks are for. For people; the engine does not read it.',
  },
  allowEnv: {
    title: 'Secrets for hooks',
    description:
      "Variables that hooks of projects and extensions may see although they look like secrets: a name, or `PREFIX_*`. Has no effect in a project's settings.",
    default: [],
    examples: [['GITHUB_TOKEN', 'CI_*']],
  },
  projectEnv: {
    title: 'Environment of projects',
    description:
      "Which variables hooks of projects and extensions see: `all` except those that look like secrets, or only those `listed` in trust.md and in `allowEnv`. Has no effect in a project's settings.",
    default: 'all',
    examples: ['listed'],
  },
  required: {
    title: 'Required guards',
    description:
      'Names of guards without which nothing starts: if one is missing, switched off, not approved or lets its canary pass, `createHooks` rejects; `run --as-hook`, a bare `HookSystem` and engines that run already deny tool calls. Has no effect in the settings of a project.',
    examples: [['no-secrets']],
  },
  journal: {
    title: 'Journal',
    description:
      'Whether the last 1,000 decisions are kept in `~/.hookwright/journal`, for `hookwright why`. Has no effect in the settings of a project.',
    default: true,
  },
  agents: {
    title: 'Hooks of other agents',
    description:
      "Other agents whose hook files are read too, by name. `strict`, the default, takes the stricter of that agent's decision and hookwright's; `faithful` decides as that agent does. Has no effect in a project's settings.",
    examples: [{ 'claude-code': true, codex: { mode: 'faithful' } }],
  },
  dialects: { title: 'Hooks of other agents', description: 'Deprecated: write `agents`.' },
} as const satisfies Record<string, MemberTexts>;
