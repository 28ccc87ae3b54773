// Schema and types of an ability hook, which a YAML file declares.
import * as z from 'zod/mini';
import { omitUndefined, once } from '../../kit/index.ts';
import { type HookConfig, HookType, MAX_TIMEOUT_MS } from '../settings/settings.ts';

/** If a blocking hook fails, `skip` goes on without it; `fail` makes the event fail. */
export type AbilityOnFault = 'skip' | 'fail';

export const onFaultByWord = { skip: 'skip', fail: 'fail', allow: 'skip', deny: 'fail' } as const satisfies Record<
  string,
  AbilityOnFault
>;

const textSchema = () => z.string().check(z.regex(/\S/), z.regex(/^[^\0]*$/));
const globsSchema = () => z.union([textSchema(), z.array(textSchema()).check(z.minLength(1))]);

const handlerSchema = () =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('script'),
      command: textSchema(),
      args: z.optional(z.array(z.string())),
      timeout_ms: z.optional(z.number().check(z.positive(), z.maximum(MAX_TIMEOUT_MS))),
    }),
  ]);

export const handlerKinds: readonly string[] = ['script'];

export const toLaunchFields = ({
  command,
  args,
  timeout_ms: timeout,
}: AbilityDeclaration['handler']): Pick<HookConfig, 'type' | 'command' | 'args' | 'timeout'> =>
  omitUndefined({ type: HookType.Command, command, args, timeout });

const HOOK_ID_PATTERN = /^(?!(?:constructor|prototype)$)[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export const abilityHookSchema = once(() =>
  z.strictObject({
    id: z.string().check(z.regex(HOOK_ID_PATTERN)),
    event_type: z.string(),
    enabled: z.boolean(),
    blocking: z.boolean(),
    summary: z.optional(z.string()),
    match: z.optional(
      z.strictObject({
        ability_scope: z.optional(globsSchema()),
        min_duration_ms: z.optional(z.number().check(z.nonnegative())),
        only_if_changed_paths: z.optional(globsSchema()),
      }),
    ),
    handler: handlerSchema(),
    on_fault: z.optional(z.enum(['skip', 'fail', 'allow', 'deny'])),
    effects: z.optional(z.array(z.union([z.string(), z.record(z.string(), z.unknown())]))),
  }),
);

export type AbilityDeclaration = z.infer<ReturnType<typeof abilityHookSchema>>;

export interface AbilityMatch {
  readonly abilityScope?: readonly string[];
  readonly minDurationMs?: number;
  /** Globs for files that changed during the session. */
  readonly onlyIfChangedPaths?: readonly string[];
}

export interface AbilityHook {
  readonly id: string;
  readonly eventType: string;
  readonly enabled: boolean;
  readonly blocking: boolean;
  readonly summary?: string;
  readonly match: AbilityMatch;
  readonly effects: readonly (string | Readonly<Record<string, unknown>>)[];
  /** Default: the `onFault` of the hook set. */
  readonly onFault?: AbilityOnFault;
  /** Replaces `onFault` after the hook was changed without a new approval. */
  readonly onLapse?: AbilityOnFault;
  readonly config: HookConfig;
  readonly file: string;
  readonly line: number;
}
