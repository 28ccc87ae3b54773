// The door to other agents for the command line: lists them, and reads, judges and edits the hooks in their files.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parse } from 'jsonc-parser';
import { isRecord } from '../kit/index.ts';
import type { HostTool } from '../planner/index.ts';
import { dialects, requireDialect, requireVersion } from './agent-table.ts';
import {
  addHooksToText,
  type EditedText,
  listEventsWithHandlers,
  removeHandlersFromText,
  resolveAgentFilePath,
} from './edit-agent-file.ts';
import { findAgentFiles, findSearchLocations, resolvePaths, type SearchLocations } from './find-agent-files.ts';
import {
  createHookwrightHandler,
  createInstallSettings,
  handlerNamesAgent,
  handlerStartsHookwright,
  type InstallOptions,
  type LineRequirements,
  pairAgentEventsWithHookEvents,
} from './hosting/install.ts';
import { type HookJudgement, type JudgeOptions, judgeAgentHooks } from './judging/judge-hooks.ts';
import { listOutcomeRules, type OutcomeRule } from './judging/outcome-rules.ts';
import { type DoubleRun, findDoubleRuns, judgeAllHooks, type ReadingAgent } from './judging/reading-agents.ts';
import type { Handler } from './reading/handler.ts';
import { readDialectFile } from './reading/read-file.ts';
import type { JsonObject } from './rule-types.ts';
import type { AgentRules, DialectMode } from './rules.ts';
import { listCalledTools } from './tools/vocabulary.ts';

export { engineMembers } from './agent-events.ts';
export type { WrittenAnswer } from './hosting/host-rule.ts';
export { type HostedCall, listFilesThatApproveNothing, readHostedCall } from './hosting/hosted-call.ts';
export type { LineRequirements } from './hosting/install.ts';
export { type Drift, findDrift, type RecordedStdin } from './judging/drift.ts';
export type { AgentHookReport, HookJudgement, MatcherJudgement } from './judging/judge-hooks.ts';
export type { OutcomeRule } from './judging/outcome-rules.ts';
export type { DoubleRun, ReadingAgent } from './judging/reading-agents.ts';

export type SearchStart = Pick<SearchLocations, 'cwd' | 'home' | 'env'>;

export class Agent {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly tools: readonly HostTool[];
  readonly mcpNames: string | undefined;
  readonly events: readonly string[];
  readonly projectDir: string;
  readonly remarks: readonly string[];
  readonly approval: readonly string[];
  readonly #dialect: AgentRules;
  readonly #place: SearchLocations;

  constructor(dialect: AgentRules, place: SearchLocations, version: string) {
    const { name, title, tools, events, remarks, approval } = dialect;
    this.#dialect = dialect;
    this.#place = place;
    this.name = name;
    this.title = title;
    this.version = version;
    this.tools = listCalledTools(tools);
    this.mcpNames = tools.mcp;
    this.events = Object.keys(events(version));
    this.projectDir = place.projectDir;
    this.remarks = remarks;
    this.approval = approval === undefined ? [] : [approval];
  }

  hasFolder(home: string): boolean {
    const files = this.#dialect.files.filter(({ scope }) => scope === 'user');
    const folders = files.flatMap((rule) => resolvePaths(rule, this.#place).map((path) => dirname(path)));
    return folders.some((folder) => folder !== home && !folder.includes('*') && existsSync(folder));
  }

  hasEvent(event: string): boolean {
    return this.events.includes(event);
  }

  findMoment(event: string): string | undefined {
    return this.#dialect.events(this.version)[event]?.moment;
  }

  judge(options: Omit<JudgeOptions, 'version'> = {}): Promise<HookJudgement> {
    return judgeAgentHooks(this.#dialect, this.#place, { ...options, version: this.version });
  }

  get hostable(): readonly (readonly [event: string, moment: string])[] {
    return pairAgentEventsWithHookEvents(this.#dialect.events(this.version));
  }

  /** The project's directory in a command line; `isFilledIn`: the agent replaces the text, so it needs no quotes. */
  get projectInLines(): { readonly text: string; readonly isFilledIn: boolean } {
    const { writes, process } = this.#dialect;
    const { projectDir: text } = writes;
    return { text, isFilledIn: process.filledIn?.(this.version).includes(text.slice(1)) === true };
  }

  get variables(): Readonly<Record<string, string>> {
    const { projectDir } = this.#place;
    return this.#dialect.process.environment({ projectDir, cwd: projectDir, sessionId: '', version: this.version });
  }

  async installedLines(): Promise<InstalledLine[]> {
    const { files } = await findAgentFiles(this.#dialect, this.#place, this.version);
    const options = { version: this.version, platform: this.#place.platform };
    return files.flatMap((found) =>
      readDialectFile(this.#dialect, found, options).entries.flatMap(
        ({ event, handler, written, file, line, scope }) => {
          const command = handlerStartsHookwright(written) ? handler?.command : undefined;
          if (handler === undefined || command === undefined) return [];
          // VS Code has no file of its own: its lines are in a file of Copilot CLI.
          const isForOther = found.of !== undefined && !handlerNamesAgent(written, this.name);
          if (isForOther) return [];
          return [{ event, command, file, line, isOfProject: scope === 'project', ...toLineLimits(handler) }];
        },
      ),
    );
  }

  limitsFor(event: string, needs: LineRequirements): LineLimits | undefined {
    const rule = this.#dialect.events(this.version)[event];
    if (rule === undefined) return undefined;
    const written = createHookwrightHandler(this.#dialect, 'hookwright', event, needs);
    const spot = { event, rule, version: this.version, platform: this.#place.platform };
    const { handler } = this.#dialect.readHandler(written, spot);
    return handler === undefined ? undefined : toLineLimits(handler);
  }

  pathFor(scope: 'project' | 'user'): string {
    return resolveAgentFilePath(this.#dialect, scope, this.#place, 'hookwright');
  }

  /** Lines for other events stay, and are written anew. */
  replaceOurLines(text: string, options: InstallOptions): EditedText {
    const cleared = removeHandlersFromText(text, handlerStartsHookwright);
    if ('trouble' in cleared) return cleared;
    const isOurs = (handler: Readonly<JsonObject>): boolean =>
      handlerNamesAgent(handler, this.name) || handlerNamesAgent(handler, undefined);
    const kept = listEventsWithHandlers(text, isOurs).filter((event) => this.findMoment(event) !== undefined);
    const events = [...new Set([...kept, ...options.events])];
    const settings = createInstallSettings(this.#dialect, { ...options, events });
    const same = addHooksToText(text, settings);
    return 'trouble' in same || same.count === 0 ? same : addHooksToText(cleared.text, settings);
  }

  removeOurLines(text: string): EditedText {
    return removeHandlersFromText(text, handlerStartsHookwright);
  }

  findOffSwitch(text: string): string | undefined {
    const root: unknown = parse(text);
    return isRecord(root) ? this.#dialect.isOff(root) : undefined;
  }

  outcomeRules(event: string, mode?: DialectMode): OutcomeRule[] {
    return listOutcomeRules(this.#dialect, event, this.version, mode);
  }
}

export interface LineLimits {
  readonly timeoutMs: number;
  readonly failsClosed: boolean;
}

const toLineLimits = ({ timeoutMs, failClosed }: Handler): LineLimits => ({
  timeoutMs,
  failsClosed: failClosed === true,
});

export interface InstalledLine extends LineLimits {
  readonly event: string;
  readonly command: string;
  readonly file: string;
  readonly line: number;
  /** Other people can write files of a project. */
  readonly isOfProject: boolean;
}

export const listAgents = (where: SearchStart): Promise<Agent[]> =>
  Promise.all(
    dialects.map(async (dialect) => new Agent(dialect, await findSearchLocations(dialect, where), dialect.latest)),
  );

export interface AgentWithFiles {
  readonly agent: Agent;
  readonly files: readonly string[];
  readonly isInProject: boolean;
  readonly isReadByEngine: boolean;
  readonly startsOnlyHookwright: boolean;
}

export const findAgent = async (name: string, where: SearchStart, version?: string): Promise<Agent> => {
  const dialect = requireDialect(name);
  return new Agent(dialect, await findSearchLocations(dialect, where), requireVersion(dialect, version));
};

export const findAgentsOnMachine = async (
  where: SearchStart,
): Promise<{ readonly name: string; readonly title: string }[]> => {
  const agents = await listAgents(where);
  return agents
    .filter((agent) => agent.hostable.length > 0 && agent.hasFolder(where.home))
    .map(({ name, title }) => ({ name, title }));
};

export const findAgentsWithFiles = async (where: SearchStart): Promise<AgentWithFiles[]> => {
  const found = await Promise.all(
    dialects.map(async (dialect): Promise<AgentWithFiles[]> => {
      const place = await findSearchLocations(dialect, where);
      const { files } = await findAgentFiles(dialect, place);
      const withHooks = files
        .map((file) => ({ file, ...readDialectFile(dialect, file, { platform: place.platform }) }))
        .filter(({ entries, problems }) => entries.length + problems.length > 0);
      if (withHooks.length === 0) return [];
      return [
        {
          agent: new Agent(dialect, place, dialect.latest),
          files: withHooks.map(({ file }) => file.path),
          isInProject: withHooks.some(({ file }) => file.scope === 'project'),
          isReadByEngine: dialect.isOurs === true,
          // A file with `of` belongs to another agent, and entries that are unknown here may be meant for that agent.
          startsOnlyHookwright: withHooks.every(
            ({ file, entries, problems }) =>
              (problems.length === 0 || file.of !== undefined) &&
              entries.every(({ written }) => handlerStartsHookwright(written)),
          ),
        },
      ];
    }),
  );
  return found.flat().sort((one, other) => Number(other.isInProject) - Number(one.isInProject));
};

export const findAgentsWithHooks = async (
  where: SearchStart,
): Promise<(ReadingAgent & { readonly doubles: readonly DoubleRun[] })[]> => {
  const readers = await Promise.all(
    dialects.map(async (dialect) => judgeAllHooks(dialect, await findSearchLocations(dialect, where))),
  );
  return readers
    .filter(({ hooks }) => hooks.length > 0)
    .map((reader) => ({ ...reader, doubles: findDoubleRuns(reader) }));
};

export const findAgentsStartingHookwrightTwice = async (
  where: SearchStart,
): Promise<{ readonly title: string; readonly files: readonly string[] }[]> =>
  (await findAgentsWithHooks(where)).flatMap(({ title, doubles }) => {
    const ours = doubles.flatMap(({ hooks }) => hooks).filter(({ entry }) => handlerStartsHookwright(entry.written));
    const files = [...new Set(ours.map(({ entry }) => entry.file))];
    return files.length < 2 ? [] : [{ title, files }];
  });
