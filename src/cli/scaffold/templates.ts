/** The templates of `new --template`: event, matcher, scripts and tests of each. */
import type { HookEventName } from '../../events/index.ts';
import type { HookConfig } from '../../protocol/index.ts';
import type { NewHookTest } from '../hook-kinds.ts';
import type { Language } from './language-names.ts';
import {
  formatOnEditScript,
  logCallsScript,
  notifyScript,
  protectFilesPythonScript,
  protectFilesScript,
  protectFilesShellScript,
  requireTestsScript,
  scanSecretsScript,
} from './template-scripts.ts';

export interface HookTemplate {
  readonly eventName: HookEventName;
  readonly matcher?: string;
  readonly entry: Pick<HookConfig, 'onFault' | 'timeout' | 'advisory'>;
  readonly scripts: Readonly<Partial<Record<Language, string>>>;
  readonly tests: (name: string) => readonly NewHookTest[];
}

const EDITING_TOOLS = '^(Edit|MultiEdit|Write|NotebookEdit|edit|replace|write_file|create|apply_patch)$';

const toNodeScripts = (script: string) => ({ node: script, typescript: script });

const guardDefaults = { onFault: 'ask' } as const;

const createSilentTest = (name: string, title: string, payload: NonNullable<NewHookTest['payload']>): NewHookTest => ({
  name: title,
  payload,
  expect: { hooks: { [name]: 'silent' } },
});

const templates = {
  'protect-files': {
    eventName: 'BeforeTool',
    entry: guardDefaults,
    scripts: {
      ...toNodeScripts(protectFilesScript),
      sh: protectFilesShellScript,
      python: protectFilesPythonScript,
    },
    tests: () => [
      {
        name: 'refuses to write a file with secrets',
        payload: { tool_input: { file_path: '/srv/app/.env', content: 'A=b' } },
        expect: { verdict: 'deny', reason: '.env is protected' },
      },
      {
        name: 'refuses a command that reads it',
        payload: { tool_input: { command: 'cat ./.env.production' } },
        expect: { verdict: 'deny', reason: '.env.production is protected' },
      },
      {
        name: 'has no opinion about other files, even if they mention it',
        payload: { tool_input: { file_path: '/srv/app/README.md', content: 'Copy .env.example to .env' } },
        expect: { verdict: 'none' },
      },
    ],
  },
  'scan-secrets': {
    eventName: 'BeforeTool',
    entry: guardDefaults,
    scripts: toNodeScripts(scanSecretsScript),
    tests: () => [
      {
        name: 'refuses to write a key',
        payload: { tool_input: { file_path: 'a.ts', content: "const key = 'AKIAIOSFODNN7EXAMPLE';" } },
        expect: { verdict: 'deny', reason: 'a key of AWS' },
      },
      {
        name: 'refuses a password in a command',
        payload: { tool_input: { command: 'psql postgres://me:hunter22@db.example/app' } },
        expect: { verdict: 'deny', reason: 'a password in an address' },
      },
      {
        name: 'has no opinion about anything else',
        payload: { tool_input: { command: 'psql "$DATABASE_URL"' } },
        expect: { verdict: 'none' },
      },
    ],
  },
  'format-on-edit': {
    eventName: 'AfterTool',
    matcher: EDITING_TOOLS,
    entry: { timeout: 30_000 },
    scripts: toNodeScripts(formatOnEditScript),
    tests: (name) => [
      createSilentTest(name, 'ignores files without a formatter', { tool_input: { file_path: 'LICENSE' } }),
      createSilentTest(name, 'ignores files that no longer exist', { tool_input: { file_path: 'no-such-file.ts' } }),
    ],
  },
  notify: {
    eventName: 'Notification',
    entry: { timeout: 5_000, advisory: true },
    scripts: toNodeScripts(notifyScript),
    tests: (name) => [createSilentTest(name, 'shows it and has no opinion', { message: '' })],
  },
  'log-calls': {
    eventName: 'AfterTool',
    entry: { timeout: 5_000, advisory: true },
    scripts: toNodeScripts(logCallsScript),
    tests: (name) => [createSilentTest(name, 'writes a line and has no opinion', { tool_input: { command: 'ls' } })],
  },
  'require-tests': {
    eventName: 'AfterAgent',
    entry: { timeout: 600_000 },
    scripts: toNodeScripts(requireTestsScript),
    tests: () => [
      {
        name: 'does not ask a second time',
        payload: { stop_hook_active: true },
        expect: { verdict: 'none' },
      },
    ],
  },
} as const satisfies Readonly<Record<string, HookTemplate>>;

export type TemplateName = keyof typeof templates;

const isTemplate = (name: string): name is TemplateName => Object.hasOwn(templates, name);

export const templateNames: readonly TemplateName[] = Object.keys(templates).filter(isTemplate);

export const findTemplate = (name: string | undefined): HookTemplate | undefined =>
  name !== undefined && isTemplate(name) ? templates[name] : undefined;

export const FIRST_TEMPLATE: TemplateName = 'protect-files';
