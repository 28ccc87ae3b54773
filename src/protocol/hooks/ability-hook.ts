import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { type HookConfig, HookType, MAX_TIMEOUT_MS } from '../settings/settings.ts';

/** What a fault of a blocking hook leads to: it is skipped with an error in the log, or the event fails. */
export type AbilityOnFault = 'skip' | 'fail';

/** `allow` and `deny` are the words of settings files for the same two things. */
export const onFaultWords = { skip: 'skip', fail: 'fail', allow: 'skip', deny: 'fail' } as const satisfies Record<
  string,
  AbilityOnFault
>;

const text = () => z.string().check(z.regex(/\S/), z.regex(/^[^\0]*$/));
const globs = () => z.union([text(), z.array(text()).check(z.minLength(1))]);

const scriptHandler = once(() =>
  z.strictObject({
    kind: z.literal('script'),
    command: text(),
    args: z.optional(z.array(z.string())),
    timeout_ms: z.optional(z.number().check(z.positive(), z.maximum(MAX_TIMEOUT_MS))),
  }),
);

/** How each kind of handler is declared. A further kind is a further entry here and in `launches`. */
const handlers = once(() => z.discriminatedUnion('kind', [scriptHandler()]));

type Handler = z.infer<ReturnType<typeof handlers>>;

/** What is run for a declaration, in the form the runner knows. */
type Launch = Pick<HookConfig, 'type' | 'command' | 'args' | 'timeout'>;

/** What each kind of handler comes to. */
const launches: { readonly [Kind in Handler['kind']]: (handler: Extract<Handler, { kind: Kind }>) => Launch } = {
  script: ({ command, args, timeout_ms }) => ({
    type: HookType.Command,
    command,
    ...(args === undefined ? {} : { args }),
    ...(timeout_ms === undefined ? {} : { timeout: timeout_ms }),
  }),
};

export const handlerKinds: readonly string[] = Object.keys(launches);

export const launchOf = (handler: Handler): Launch => launches[handler.kind](handler);

/** What a declaration is named by: words that need no quotes anywhere. */
const ID = /^(?!(?:constructor|prototype)$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** A declaration file as people write it. */
export const abilityHookSchema = once(() =>
  z.strictObject({
    id: z.string().check(z.regex(ID)),
    event_type: z.string(),
    enabled: z.boolean(),
    blocking: z.boolean(),
    summary: z.optional(z.string()),
    match: z.optional(
      z.strictObject({
        ability_scope: z.optional(globs()),
        min_duration_ms: z.optional(z.number().check(z.nonnegative())),
        only_if_changed_paths: z.optional(globs()),
      }),
    ),
    handler: handlers(),
    on_fault: z.optional(z.enum(['skip', 'fail', 'allow', 'deny'])),
    effects: z.optional(z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))),
  }),
);

export type AbilityDeclaration = z.infer<ReturnType<typeof abilityHookSchema>>;

/** When a hook is active. Every key that is given has to hold. */
export interface AbilityMatch {
  /** Globs over ability ids. */
  readonly abilityScope?: readonly string[];
  /** Calls at least this slow. */
  readonly minDurationMs?: number;
  /** Globs over the files a session changed. */
  readonly onlyIfChangedPaths?: readonly string[];
}

/** A declared hook that could be read. */
export interface AbilityHook {
  readonly id: string;
  readonly eventType: string;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly summary?: string;
  readonly match: AbilityMatch;
  /** Says what the hook changes, for people. Never executed. */
  readonly effects: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Where the declaration does not say, the hook set decides. */
  readonly onFault?: AbilityOnFault;
  /** What follows when it is not what was approved any more. */
  readonly onLapse?: AbilityOnFault;
  /** What is run, in the form the runner knows. */
  readonly config: HookConfig;
  readonly file: string;
  readonly line: number;
}
