/** Warnings of `run --as-hook` about hooks that miss calls of a tool. Loaded only if a tool name is unknown. */
import type { HostedCall } from '../../../agents/cli-api.ts';
import { omitUndefined } from '../../../kit/index.ts';
import {
  findMissedCallsOrContradiction,
  findUnknownTools,
  formatToolNameFix,
  type MissedCalls,
} from '../../../planner/index.ts';
import { formatProblem, isGuardEntry, shortenHookName } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import type { Context } from '../../context.ts';

export interface MissedCallWarnings {
  readonly guards: readonly string[];
  readonly others: readonly string[];
}

export const findMissedCallWarnings = async (
  hooks: readonly ConfiguredHook[],
  agent: Pick<HostedCall, 'title' | 'tools' | 'mcpNames'> | undefined,
  { cwd }: Pick<Context, 'cwd'>,
): Promise<MissedCallWarnings> => {
  const look =
    agent === undefined
      ? await findMissedHere(hooks)
      : (hook: ConfiguredHook) => findMissedCallsOrContradiction(hook, [agent]);
  const textsOf = (ofGuards: boolean): string[] =>
    hooks
      .filter(({ config }) => isGuardEntry({ ...config }) === ofGuards)
      .flatMap((hook) => look(hook).map((missed) => formatMissedText(hook, missed, cwd)));
  return { guards: textsOf(true), others: textsOf(false) };
};

const findMissedHere = async (hooks: readonly ConfiguredHook[]) => {
  const known = { names: [], isComplete: false };
  const isDoubtful = (hook: ConfiguredHook): boolean =>
    findUnknownTools(hook, known, []).some(({ isMisspelled }) => isMisspelled);
  const others = hooks.some(isDoubtful) ? (await import('../../doctor/known-tools.ts')).agentToolNames : [];
  return (hook: ConfiguredHook): readonly MissedCalls[] => {
    const slips = findUnknownTools(hook, known, others).flatMap(({ what, near, isMisspelled }) =>
      near !== undefined && isMisspelled ? [{ message: what, fix: formatToolNameFix(near) }] : [],
    );
    return slips.length > 0 ? slips : findMissedCallsOrContradiction(hook, []);
  };
};

const formatMissedText = (
  { name, source: { file, line } }: ConfiguredHook,
  { message, fix }: MissedCalls,
  cwd: string,
): string => {
  const text = `hook "${shortenHookName(name)}": ${message}`;
  return formatProblem({ ...omitUndefined({ file, line }), message: text, hint: fix }, cwd);
};
