/** Texts of `run --as-hook` about hooks that miss calls of a tool. Loaded only if a tool name is in doubt. */
import type { HostedCall } from '../../../agents/agents.ts';
import {
  findCallsMissedBehind,
  findUnknownTools,
  formatToolNameFix,
  type MissedCalls,
} from '../../../planner/index.ts';
import { formatProblem, isGuardEntry, shortenHookName } from '../../../protocol/index.ts';
import type { ConfiguredHook } from '../../../registry/index.ts';
import type { Context } from '../../context.ts';

export interface MissedTexts {
  readonly guards: readonly string[];
  readonly others: readonly string[];
}

interface Missed {
  readonly isGuard: boolean;
  readonly text: string;
}

export const findMissedTexts = async (
  hooks: readonly ConfiguredHook[],
  agent: Pick<HostedCall, 'title' | 'tools' | 'mcpNames'> | undefined,
  { cwd }: Pick<Context, 'cwd'>,
): Promise<MissedTexts> => {
  const look =
    agent === undefined ? await findMissedHere(hooks) : (hook: ConfiguredHook) => findCallsMissedBehind(hook, [agent]);
  const found = hooks.flatMap((hook) => look(hook).map((one) => createMissedText(hook, one, cwd)));
  const textsOf = (ofGuards: boolean): string[] =>
    found.flatMap(({ isGuard, text }) => (isGuard === ofGuards ? text : []));
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
    return slips.length > 0 ? slips : findCallsMissedBehind(hook, []);
  };
};

const createMissedText = (
  { name, config, source: { file, line } }: ConfiguredHook,
  { message, fix }: MissedCalls,
  cwd: string,
): Missed => {
  const problem = {
    message: `hook "${shortenHookName(name)}": ${message}`,
    hint: fix,
    ...(file === undefined ? {} : { file }),
    ...(line === undefined ? {} : { line }),
  };
  return { isGuard: isGuardEntry({ ...config }), text: formatProblem(problem, cwd) };
};
