/** Plans a new hook: the files to write and the settings entry. Writes nothing. */
import { join } from 'node:path';
import type { HookEventName } from '../../events/index.ts';
import { escapeUnprintable, isRecord } from '../../kit/index.ts';
import type { HookConfig } from '../../protocol/index.ts';
import {
  createExampleContext,
  createHookTests,
  type NewHookKind,
  type NewHookTest,
  selectHookKind,
} from '../hook-kinds.ts';
import type { WritableScope } from '../settings-edit/settings-files.ts';
import { UsageError } from '../usage-error.ts';
import type { Language } from './language-names.ts';
import { createScript, createScriptFile, type NewScript, unfinishedGuard } from './new-script.ts';
import type { HookTemplate } from './templates.ts';

export interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

export interface HookPlan {
  readonly files: readonly NewFile[];
  readonly definition: {
    readonly matcher?: string;
    readonly hooks: readonly [
      Pick<HookConfig, 'onFault' | 'timeout' | 'advisory' | 'if' | 'verdict' | 'reason' | 'canary'> & {
        readonly type?: 'worker' | 'rule';
        readonly name: string;
        readonly command?: string;
      },
    ];
  };
}

export interface NewHookOptions {
  readonly name: string;
  readonly eventName: HookEventName;
  readonly matcher: string | undefined;
  readonly language: Language;
  readonly worker: boolean;
  readonly template?: HookTemplate | undefined;
  readonly starter: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly directory: string;
  readonly scope: WritableScope;
}

/** Paths of a project begin with a variable, because a project may be moved. */
const formatScriptForCommand = (scope: WritableScope, script: string, file: string): string => {
  if (scope === 'project') return `$HOOKWRIGHT_PROJECT_DIR/.hookwright/hooks/${file}`;
  return /^[\w@%+=:,./-]+$/.test(script) ? script : `'${script.replaceAll("'", "'\\''")}'`;
};

export const createTestText = (
  { name, eventName, payload }: Pick<NewHookOptions, 'name' | 'eventName' | 'payload'>,
  tests: readonly NewHookTest[],
): string => {
  const shared = Object.keys(payload).length === 0 ? {} : { payload };
  const file = { event: eventName, only: [name], ...shared, tests };
  return `${escapeUnprintable(JSON.stringify(file, null, 2))}\n`;
};

const createHookScript = ({ name, eventName, language, worker, starter, template }: NewHookOptions) => {
  const written = template?.scripts[language];
  if (written !== undefined) return createScriptFile(language, name, written, starter);
  const kind = selectHookKind(eventName);
  const fromScratch = { name, eventName, kind, starter };
  return worker ? createWorkerScript(language, fromScratch) : createScript(language, fromScratch);
};

/** If a new guard fails, the user is asked about the call, so that a broken guard does not allow everything. */
const createEntry = ({
  name,
  eventName,
  payload,
  template,
}: NewHookOptions): Pick<HookConfig, 'onFault' | 'timeout' | 'advisory' | 'canary'> => {
  if (template === undefined) return selectHookKind(eventName) === 'guard' ? { onFault: 'ask' } : {};
  const [denied] = template.tests(name).filter(({ expect }) => expect.verdict === 'deny');
  const input = denied?.payload?.tool_input;
  if (!isRecord(input)) return template.entry;
  const { tool_name: tool = 'Bash' } = payload;
  return { ...template.entry, canary: { tool_name: String(tool), tool_input: input } };
};

export const planHook = (wish: NewHookOptions): HookPlan => {
  const { name, eventName, matcher, starter, directory, scope, worker, template } = wish;
  const tests = template?.tests(name) ?? createHookTests(selectHookKind(eventName), name);
  const { file, text } = createHookScript(wish);
  const script = join(directory, '.hookwright', 'hooks', file);
  const test = scope === 'user' ? `${script}.test.json` : join(directory, '.hookwright', 'tests', `${name}.test.json`);
  return {
    files: [
      { path: script, text, mode: 0o755 },
      { path: test, text: createTestText(wish, tests), mode: 0o644 },
    ],
    definition: {
      ...(matcher === undefined ? {} : { matcher }),
      hooks: [
        {
          ...(worker ? { type: 'worker' as const } : {}),
          name,
          command: starter + formatScriptForCommand(scope, script, file),
          ...createEntry(wish),
        },
      ],
    },
  };
};

type NewWorker = Pick<NewScript, 'name' | 'eventName' | 'kind'>;

const formatComment = (mark: string, { name, eventName }: NewWorker): string =>
  [
    `${mark} ${name}: a worker for ${eventName}. The process stays and answers each event.`,
    `${mark} No answer is no opinion. Try it: hookwright test`,
  ].join('\n');

const nodeBodies: Readonly<Record<NewHookKind, (template: NewWorker) => string>> = {
  guard: ({ name }) => `${unfinishedGuard.node(name)}export default ({ tool_input: toolInput }) => {
  if (JSON.stringify(toolInput).includes(forbidden)) {
    return { decision: 'deny', reason: \`\${forbidden} is not done here\` };
  }
};
`,
  context: ({ name, eventName }) => `export default () => ({
  hookSpecificOutput: {
    hookEventName: '${eventName}',
    additionalContext: '${createExampleContext(name)}',
  },
});
`,
  watch: () => `export default (event) => {
  void event; // Write here what you want to do with it.
};
`,
};

const pythonBodies: Readonly<Record<NewHookKind, (template: NewWorker) => string>> = {
  guard: () => `    if forbidden in json.dumps(event["tool_input"]):
        return {"decision": "deny", "reason": forbidden + " is not done here"}
`,
  context: ({ name, eventName }) => `    return {
        "hookSpecificOutput": {
            "hookEventName": "${eventName}",
            "additionalContext": "${createExampleContext(name)}",
        }
    }
`,
  watch: () => `    pass  # Write here what you want to do with it.
`,
};

const writers: Readonly<Partial<Record<Language, { extension: string; write: (template: NewWorker) => string }>>> = {
  node: {
    extension: 'mjs',
    write: (template) => `${formatComment('//', template)}
${nodeBodies[template.kind](template)}`,
  },
  python: {
    extension: 'py',
    write: (template) => `#!/usr/bin/env python3
${formatComment('#', template)}
import json
import sys

${template.kind === 'guard' ? unfinishedGuard.python(template.name) : ''}
def answer(event):
${pythonBodies[template.kind](template)}

for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "output": answer(request["input"])}), flush=True)
`,
  },
};

const createWorkerScript = (language: Language, template: NewWorker) => {
  const writer = writers[language];
  if (writer === undefined) {
    throw new UsageError(`there is no beginning of a worker in ${language}`, 'take --language node or python');
  }
  return { file: `${template.name}.${writer.extension}`, text: writer.write(template) };
};
