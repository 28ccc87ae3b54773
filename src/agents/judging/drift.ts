// Compares recorded stdin of agents with the members that their rules create.
import { catalogue, isHookEventName } from '../../events/index.ts';
import { createSampleCall } from '../agent-events.ts';
import { dialects } from '../agent-table.ts';
import { recogniseAgent } from '../hosting/hosted-call.ts';
import type { JsonObject } from '../rule-types.ts';
import type { AgentRules } from '../rules.ts';

export interface RecordedStdin {
  readonly from: string;
  readonly document: Readonly<JsonObject>;
  readonly agent?: string | undefined;
  readonly event?: string | undefined;
}

export interface Drift {
  readonly agent: string;
  readonly event: string;
  readonly key: string;
  readonly kind: 'unknown' | 'missing';
  readonly seen: number;
  readonly of: number;
  readonly from: string;
}

export interface DriftReport {
  readonly drifts: readonly Drift[];
  readonly looked: readonly { readonly agent: string; readonly event: string; readonly count: number }[];
  readonly strange: readonly string[];
}

const SAMPLE_MEMBERS = { session_id: 's', transcript_path: '/t', cwd: '/', timestamp: '2026-01-01T00:00:00.000Z' };

export const listStdinMembers = (dialect: AgentRules, event: string): ReadonlySet<string> | undefined => {
  const { latest: version } = dialect;
  const rules = dialect.events(version);
  const rule = Object.hasOwn(rules, event) ? rules[event] : undefined;
  if (rule === undefined) return undefined;
  const { moment } = rule;
  const sample: JsonObject = moment !== undefined && isHookEventName(moment) ? { ...catalogue[moment].sample } : {};
  const [kind] = rule.kinds ?? [];
  const tool = { name: 'tool', kind, input: { command: '', file_path: '', path: '', old_string: '' } };
  const input = { ...SAMPLE_MEMBERS, ...sample, reason: 'other', agent_type: 'x', prompt_response: '', error: '' };
  return new Set(Object.keys(dialect.stdin({ ...createSampleCall({ event, rule, version }, input), tool })));
};

export const findDrift = (
  recorded: readonly RecordedStdin[],
  env: Readonly<Record<string, string | undefined>>,
): DriftReport => {
  const groups = new Map<
    string,
    { dialect: AgentRules; event: string; made: ReadonlySet<string>; all: RecordedStdin[] }
  >();
  const strange: string[] = [];
  for (const one of recorded) {
    const found = one.agent === undefined ? recogniseAgent(one.document, env, dialects) : undefined;
    const dialect = one.agent === undefined ? found?.dialect : dialects.find(({ name }) => name === one.agent);
    const event = one.event ?? dialect?.host.eventOf(one.document);
    const made = dialect === undefined || event === undefined ? undefined : listStdinMembers(dialect, event);
    if (dialect === undefined || event === undefined || made === undefined) {
      strange.push(one.from);
      continue;
    }
    const key = `${dialect.name} ${event}`;
    const group = groups.get(key) ?? { dialect, event, made, all: [] };
    group.all.push(one);
    groups.set(key, group);
  }
  const drifts = [...groups.values()].flatMap(({ dialect, event, made, all }): Drift[] => {
    const optional = new Set(dialect.host.mayHave);
    const sent = new Set(all.flatMap(({ document }) => Object.keys(document)));
    const createDrift = (key: string, kind: Drift['kind']): Drift => {
      const senders = all.filter(({ document }) => Object.hasOwn(document, key));
      const { from = '' } = senders[0] ?? all[0] ?? {};
      return { agent: dialect.name, event, of: all.length, key, kind, seen: senders.length, from };
    };
    const unknown = [...sent].filter((key) => !made.has(key) && !optional.has(key));
    const missing = [...made].filter((key) => !sent.has(key) && !optional.has(key));
    return [...unknown.map((key) => createDrift(key, 'unknown')), ...missing.map((key) => createDrift(key, 'missing'))];
  });
  const looked = [...groups.values()].map(({ dialect, event, all }) => ({
    agent: dialect.name,
    event,
    count: all.length,
  }));
  return { drifts, looked, strange };
};
