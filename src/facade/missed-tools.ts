/** Reports hooks that match none of the host's tools, and called tools that the host does not name. */
import {
  findContradiction,
  findUnreachedHook,
  formatToolNameFix,
  type HostTool,
  suggestTools,
} from '../planner/index.ts';
import { type ConfigProblem, ConfigSource, getHookKey, getOrigin, shortenHookName } from '../protocol/index.ts';
import type { HookRegistryEntry } from '../registry/index.ts';

export type KindByTool = ReadonlyMap<string, string | undefined>;

const listTools = (tools: KindByTool): readonly HostTool[] => [...tools].map(([name, kind]) => ({ name, kind }));

const findToolMismatch = (hook: HookRegistryEntry, tools: KindByTool | undefined): ConfigProblem | undefined => {
  const { config, eventName, source, enabled } = hook;
  if (!enabled) return undefined;
  const position = getOrigin(config)?.position;
  const about = `${eventName} hook "${shortenHookName(getHookKey(config))}"`;
  const problem = (code: ConfigProblem['code'], message: string, hint: string): ConfigProblem => ({
    ...{ code, severity: 'warning', skipped: false, path: `hooks.${eventName}`, source, message, hint },
    ...(position === undefined ? {} : { file: position.file, line: position.line }),
  });
  const found = tools && findUnreachedHook(hook, listTools(tools));
  if (tools === undefined || found === undefined) {
    const excluded = findContradiction(hook);
    return excluded && problem('condition-mismatch', `${about}: ${excluded.message}`, excluded.fix);
  }
  const { isInCondition, written, fix, names } = found;
  return problem(
    isInCondition ? 'condition-mismatch' : 'matcher-mismatch',
    `${about} runs for none of \`tools\`: its ${isInCondition ? '`if`' : 'matcher'} ${written} fits no tool there`,
    fix ?? `tools are ${names.join(', ')}; write one of them, or remove the hook`,
  );
};

export const findHooksWithoutTool = (
  hooks: readonly HookRegistryEntry[],
  tools: KindByTool | undefined,
): ConfigProblem[] => hooks.flatMap((hook) => findToolMismatch(hook, tools) ?? []);

/** `undefined` if the host names the tool, or if it belongs to an MCP server. */
export const findUnknownTool = (name: string, tools: KindByTool): ConfigProblem | undefined => {
  if (tools.has(name) || /mcp/i.test(name)) return undefined;
  const [near] = suggestTools(name, listTools(tools)).names;
  return {
    code: 'unhooked-tool',
    severity: 'warning',
    skipped: false,
    path: `tools.${name}`,
    source: ConfigSource.Runtime,
    message: `Tool "${name}" is called but not in \`tools\`: hooks for tools of other names do not see its calls`,
    hint: near === undefined ? `add ${name} to \`tools\`` : `${formatToolNameFix(near)}; else add ${name} to \`tools\``,
  };
};
