/** Changes the settings of another agent, for `install` and `uninstall`. */
import { type Agent, findAgent } from '../../agents/cli-api.ts';
import type { CliProblem, CommandOutcome } from '../command-outcome.ts';
import type { Context } from '../context.ts';
import { createProblemOutcome, formatProblems } from '../rendering/problem-lines.ts';
import { shortenPath } from '../rendering/short-path.ts';
import { createSpan, type Text } from '../rendering/text.ts';
import { formatChange, toChangeData } from '../settings-edit/change-lines.ts';
import { changeSettings } from '../settings-edit/change-settings.ts';
import { UsageError } from '../usage-error.ts';
import { agentNameChoices, expectHomeDirectory } from './agent-flags.ts';

export interface AgentChange {
  readonly verb: 'install' | 'uninstall';
  readonly flag: '--into' | '--from';
  readonly agent: string | undefined;
  readonly user: boolean;
  readonly dryRun: boolean;
  readonly edit: (agent: Agent, text: string) => { readonly text: string } | { readonly trouble: string };
  readonly nothing: (agent: Agent) => string | Promise<string>;
  readonly notes: (agent: Agent, after: string) => readonly string[] | Promise<readonly string[]>;
  readonly verify?: (agent: Agent) => Promise<VerifiedAgentChange>;
}

export interface VerifiedAgentChange {
  readonly seen?: string;
  readonly problems: readonly CliProblem[];
  readonly data: object;
}

/** `uninstall` restores the file from before `install`. After `uninstall`, the events of `install` may differ. */
const oppositeByCommand = { install: undefined, uninstall: 'install' } as const;

export const changeAgentHookFile = async (change: AgentChange, context: Context): Promise<CommandOutcome> => {
  const { verb, flag, agent: name, user, dryRun, edit } = change;
  if (name === undefined) throw new UsageError(`${flag} is missing`, `whose settings: ${agentNameChoices.join(', ')}`);
  expectHomeDirectory(context);
  const agent = await findAgent(name, context);
  const path = agent.pathFor(user ? 'user' : 'project');
  const mustStayIn = user ? undefined : agent.projectDir;
  const altered = await changeSettings(
    { path, mustStayIn },
    { home: context.home, dryRun },
    {
      verb,
      name,
      opposite: oppositeByCommand[verb],
      edit: (text) => {
        const edited = edit(agent, text);
        return 'trouble' in edited
          ? { ok: false, problem: { message: edited.trouble, line: 1, column: 1 } }
          : { ok: true, text: edited.text };
      },
    },
  );
  if (!altered.ok) return createProblemOutcome({ agent: name, dryRun, files: [] }, [altered.problem], context);
  const file = toChangeData(altered);
  const nothing = file.changed ? '' : await change.nothing(agent);
  const notes = file.changed ? await change.notes(agent, altered.after ?? '') : [];
  const verified = dryRun ? undefined : await change.verify?.(agent);
  const { seen, problems = [], data = {} } = verified ?? {};
  return {
    findings: problems.length > 0,
    data: { agent: name, dryRun, files: file.changed ? [file] : [], notes, ...data },
    problems,
    text: (): Text => [
      ...(file.changed ? formatChange(file, context.cwd) : [nothing]),
      ...(seen === undefined ? [] : ['', [createSpan(problems.length === 0 ? 'green' : 'yellow', seen)]]),
      ...(problems.length === 0 ? [] : ['', ...formatProblems(problems, context)]),
      ...(notes.length === 0 ? [] : ['', ...notes.map((note) => [createSpan('yellow', note)])]),
      ...(file.changed && !dryRun ? ['', `take it back:  hookwright undo ${shortenPath(path, context.cwd)}`] : []),
    ],
  };
};
