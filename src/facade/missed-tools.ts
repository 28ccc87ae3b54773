/** Reports hooks that fit none of the host's tools, and called tools that the host does not name. */
import { catalogue } from '../events/index.ts';
import { nearest } from '../kit/index.ts';
import { compileMatcher, isSkippedByCondition, matchRegex } from '../planner/index.ts';
import {
  type ConfigProblem,
  ConfigSource,
  conditionTexts,
  isGuardEntry,
  originOf,
  readCallPattern,
} from '../protocol/index.ts';
import type { HookRegistryEntry } from '../registry/index.ts';

/** Tool name → whether it is a shell. */
export type NamedTools = ReadonlyMap<string, boolean>;

const SHELL = /bash|shell|terminal|command|^cmd$|^exec$/i;

/** Suggests the host's tool for another tool's name. */
const meant = (written: readonly string[], tools: NamedTools): string | undefined => {
  const near = written.map((name) => nearest(name, [...tools.keys()])).find((name) => name !== undefined);
  if (near !== undefined) return near;
  const hasShell = written.some((name) => SHELL.test(name) || nearest(name, ['Bash']) !== undefined);
  return hasShell ? [...tools].find(([, isShell]) => isShell)?.[0] : undefined;
};

const missed = (hook: HookRegistryEntry, tools: NamedTools): ConfigProblem | undefined => {
  const { config, eventName, matcher, source, enabled } = hook;
  const { subject } = catalogue[eventName];
  const origin = originOf(config);
  // Hooks of other agents name that agent's tools and get translated calls.
  if (!enabled || subject?.from !== 'toolName' || origin?.dialect !== undefined) return undefined;
  const matching = compileMatcher(matcher, subject.compare, matchRegex, isGuardEntry({ ...config }));
  const matched = [...tools.keys()].filter((name) => matching.test(name) !== false);
  const isPassed = (tool_name: string): boolean => isSkippedByCondition(config, { tool_name, tool_input: {} }, '');
  if (matched.some((name) => !isPassed(name))) return undefined;
  const conditions = conditionTexts(config.if ?? []);
  const isAboutMatcher = matched.length === 0;
  const written = isAboutMatcher
    ? (matcher ?? '').split(/[^\w-]+/).filter((name) => name !== '')
    : conditions.flatMap((text) => readCallPattern(text)?.tool ?? []);
  // Hosts need not know the names of MCP tools.
  if (written.some((name) => /mcp/i.test(name))) return undefined;
  const names = [...tools.keys()].join(', ');
  const found = isAboutMatcher ? `matcher ${JSON.stringify(matcher)}` : `\`if\` ${JSON.stringify(config.if)}`;
  const near = meant(written, tools);
  return {
    code: isAboutMatcher ? 'matcher-mismatch' : 'condition-mismatch',
    severity: 'warning',
    skipped: false,
    path: `hooks.${eventName}`,
    source,
    message: `${eventName} hook "${config.name ?? hook.hookId}" runs for none of \`tools\`: its ${found} fits no tool there`,
    hint:
      near === undefined
        ? `tools are ${names}; write one of them, or remove the hook`
        : `if ${near} is meant, write ${near}`,
    ...(origin?.position === undefined ? {} : { file: origin.position.file, line: origin.position.line }),
  };
};

export const missedTools = (hooks: readonly HookRegistryEntry[], tools: NamedTools): ConfigProblem[] =>
  hooks.flatMap((hook) => missed(hook, tools) ?? []);

/** `undefined` if the tool is named, or belongs to an MCP server. */
export const unnamedTool = (name: string, tools: NamedTools): ConfigProblem | undefined => {
  if (tools.has(name) || /mcp/i.test(name)) return undefined;
  const near = meant([name], tools);
  return {
    code: 'unhooked-tool',
    severity: 'warning',
    skipped: false,
    path: `tools.${name}`,
    source: ConfigSource.Runtime,
    message: `Tool "${name}" is called but not in \`tools\`: hooks for tools of other names do not see its calls`,
    hint:
      near === undefined
        ? `add ${name} to \`tools\``
        : `if ${near} is meant, write ${near}; else add ${name} to \`tools\``,
  };
};
