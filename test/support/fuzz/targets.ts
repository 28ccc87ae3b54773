import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAbilityHooks } from '../../../src/abilities/index.ts';
import { loadConfig, MessageBus } from '../../../src/index.ts';
import { parseOutput } from '../../../src/runners/process-api.ts';
import { readSession } from '../../../src/sessions/index.ts';
import { findNamedFiles } from '../../../src/trust/index.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { expectNoDenial, expectNoLoss, textWithDenial, textWithoutDenial } from './denials.ts';
import type { Numbers } from './texts.ts';

/** One place where somebody else's text comes in. `run` throws when a promise is broken. */
export interface FuzzTarget {
  readonly name: string;
  /** Texts that are changed at random, */
  readonly corpus?: readonly string[];
  /** or what makes a text. */
  readonly make?: (next: Numbers) => string;
  run(text: string): void | Promise<void>;
}

const settings = JSON.stringify({
  hooksConfig: { enabled: true, disabled: ['a'] },
  allowEnv: ['A_*'],
  hooks: {
    BeforeTool: [
      {
        matcher: 'Bash|Edit',
        sequential: true,
        hooks: [{ name: 'a', command: './a.sh', timeout: '5s', env: { A: '1' } }],
      },
    ],
  },
});

const project = '/nowhere/project';
const answers = [
  '{"decision":"deny","reason":"no"}',
  '{"hookSpecificOutput":{"permissionDecision":"deny","updatedInput":{"a":1}}}',
  'text\n{"decision":"allow"}\n{"systemMessage":"x","continue":false}',
  '{"decision":"ask","hookSpecificOutput":{"additionalContext":"y"}}',
];

const messages = [
  '{"type":"hook-execution-request","correlationId":"1","eventName":"BeforeTool","input":{"tool_name":"a","tool_input":{}}}',
  '{"type":"hook-execution-response","correlationId":"1","success":true,"output":{}}',
];

const directory = temporaryFolder('fuzz');

const folderIn = (path: string): string => {
  const folder = join(directory, path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
};

const settingsFile = join(folderIn('project/.hookwright'), 'settings.json');
const hookFile = join(folderIn('abilities/.system/hooks'), 'a.yaml');
const [cwd, home, abilities] = [folderIn('project'), folderIn('home'), folderIn('abilities')];

const readMessage = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export const targets: readonly FuzzTarget[] = [
  {
    name: 'settings',
    corpus: [
      settings,
      '// a comment\n{"hooks": {"AfterTool": [{"hooks": []}]},}',
      '{"hooks":{"BeforeTool":[{"hooks":[{"comand":"x"}]}]}}',
      '{"hooks":{"BeforeTool":[{"matcher":"Bash","hooks":[{"command":"x","agent":"claude-code","if":"Bash(rm *)"}]}]}}',
    ],
    run: async (text) => {
      writeFileSync(settingsFile, text);
      await loadConfig({ cwd, home, env: {} });
    },
  },
  {
    name: 'hook output',
    corpus: answers,
    run: (text) => {
      for (const exitCode of [0, 1, 2, null]) {
        const { output } = parseOutput({ exitCode, stdout: text, stderr: 'why' });
        if (
          exitCode === 2 &&
          output?.decision !== 'deny' &&
          output?.decision !== 'block' &&
          output?.continue !== false
        ) {
          throw new Error(`exit 2 did not block: ${JSON.stringify(output)}`);
        }
      }
    },
  },
  {
    name: 'session files',
    corpus: [
      `{"hookwright":"session","version":1,"startedAt":"2026-01-01T00:00:00.000Z","part":1}\n{"at":1,"message":${messages[0]}}\n{"at":2,"message":${messages[1]}}\n`,
      '{"hookwright":"session"}\n{"at":"x"}\n\n{"at":1}',
    ],
    run: async (text) => {
      const session = join(directory, 'session.jsonl');
      writeFileSync(session, text);
      for await (const _entry of readSession(session));
    },
  },
  {
    name: 'messages',
    corpus: messages,
    run: (text) => {
      const bus = new MessageBus();
      bus.on('error', () => undefined);
      const publish: unknown = bus.publish;
      if (typeof publish === 'function') Reflect.apply(publish, bus, [readMessage(text)]);
    },
  },
  {
    name: 'command lines',
    corpus: [
      './a.sh --all',
      'sh ./a.sh 2>&1',
      `env -S './a.sh x' y`,
      'cd a && ./b.sh | jq .',
      `sh -c './a.sh; true'`,
      'node "$CLAUDE_PROJECT_DIR"/a.mjs',
    ],
    run: (text) => {
      const { files, notCovered } = findNamedFiles({ command: text }, { projectDir: project });
      const script = files.find(({ runs }) => runs);
      // Covered by its looks: then it is nothing that a shell would do more with than start it.
      const isPlain = notCovered === undefined;
      const isShell = /[;&|<>()`*?[\]#~%!{}\\\n=]|\$(?!\{?(?:GEMINI|CLAUDE|HOOKWRIGHT)_)/.test(
        text.replace(/'[^']*'/g, ''),
      );
      if (isPlain && text.trim() !== '' && (script === undefined || (isShell && !/"/.test(text)))) {
        throw new Error(`taken for a plain line: ${JSON.stringify(text)}`);
      }
    },
  },
  {
    name: 'YAML',
    corpus: [
      'id: a\nevent: PreAbilityCall\nblocking: true\nmatch:\n  abilityScope: [deploy]\nrun: bin/a.sh\n',
      'a: &a [1, 2]\nb: *a\nc: |\n  text\n',
    ],
    run: async (text) => {
      writeFileSync(hookFile, text);
      const set = await loadAbilityHooks(abilities, { home, log: false });
      await set.dispose();
    },
  },
  { name: 'denials', make: textWithDenial, run: expectNoLoss },
  { name: 'no denials', make: textWithoutDenial, run: expectNoDenial },
];
