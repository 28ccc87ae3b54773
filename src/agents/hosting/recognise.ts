import { isRecord } from '../../kit/index.ts';
import type { Dialect, JsonObject } from '../dialect.ts';

/** What came on stdin, and whose it seems to be. */
export interface Recognised {
  readonly dialect: Dialect;
  /** By the agent's name; absent where stdin does not say it. */
  readonly event: string | undefined;
}

type Variables = Readonly<Record<string, string | undefined>>;

const isSet = (env: Variables, name: string | undefined): boolean =>
  name !== undefined && env[name] !== undefined && env[name] !== '';

const ownsTool = (
  { tools, toolsFor, latest }: Dialect,
  rule: Dialect['events'],
  event: string,
  tool: unknown,
): boolean => {
  const its = rule(latest)[event];
  const vocabulary = its === undefined ? tools : (toolsFor?.(its, latest) ?? tools);
  return vocabulary.tools.some(({ names }) => names[0] === tool);
};

/** How much speaks for a dialect; nothing when something speaks against it. */
const likelihood = (dialect: Dialect, document: Readonly<JsonObject>, env: Variables): number | undefined => {
  const { host } = dialect;
  const { signs, never = [], variable } = host.knownBy;
  if (never.some((key) => Object.hasOwn(document, key))) return undefined;
  const seen = signs.filter((keys) => keys.every((key) => Object.hasOwn(document, key)));
  if (seen.length === 0) return undefined;
  const event = host.eventOf(document);
  if (event !== undefined && !Object.hasOwn(dialect.events(dialect.latest), event)) return undefined;
  const tool =
    document.tool_name ?? document.toolName ?? (isRecord(document.toolCall) ? document.toolCall.name : undefined);
  const sign = Math.max(...seen.map(({ length }) => length));
  const speaksIt = event !== undefined && tool !== undefined && ownsTool(dialect, dialect.events, event, tool);
  return sign + (speaksIt ? 5 : 0) + (isSet(env, variable) ? 10 : 0);
};

/** Whose stdin this is: by what stands in it, by the names of its tools, and by what its agent sets. */
export const recognise = (
  document: Readonly<JsonObject>,
  env: Variables,
  dialects: readonly Dialect[],
): Recognised | undefined => {
  let best: { readonly dialect: Dialect; readonly score: number } | undefined;
  for (const dialect of dialects) {
    const score = likelihood(dialect, document, env);
    if (score !== undefined && (best === undefined || score > best.score)) best = { dialect, score };
  }
  return best === undefined ? undefined : { dialect: best.dialect, event: best.dialect.host.eventOf(document) };
};
