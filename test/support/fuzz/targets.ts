import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml } from '../../../src/abilities/declaration/read-yaml.ts';
import { AgentEntries } from '../../../src/agents/engine-api.ts';
import { MessageBus } from '../../../src/index.ts';
import { parseOutput } from '../../../src/runners/process-api.ts';
import { readSession } from '../../../src/sessions/index.ts';
import { combineFiles } from '../../../src/settings/reading/combine-files.ts';
import { SettingsDocument } from '../../../src/settings/reading/settings-document.ts';
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
const file = {
  path: `${project}/.hookwright/settings.json`,
  scope: 'project',
  family: 'hookwright',
  owner: 'project',
} as const;

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
      const document = new SettingsDocument(file, text);
      const place = { cwd: project, home: project, projectDir: project, env: {}, platform: 'linux' } as const;
      const loadAgents = async () => new AgentEntries({ dialects: {} }, place, new Map());
      await combineFiles(
        [{ file, document, exists: true, hasText: true }],
        { env: {}, projectDir: project, programInProject: () => undefined, loadAgents },
        [],
      );
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
    run: (text) => void readYaml(text),
  },
  { name: 'denials', make: textWithDenial, run: expectNoLoss },
  { name: 'no denials', make: textWithoutDenial, run: expectNoDenial },
];
