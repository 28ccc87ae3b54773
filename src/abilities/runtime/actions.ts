// Reads the actions that an AI requests.
import * as z from 'zod/mini';
import { type AbilityRef, abilityContexts } from '../../events/index.ts';
import { describeValue, formatSuggestion, isRecord, once } from '../../kit/index.ts';
import { describeIssue } from '../../protocol/index.ts';

/** The actions that an AI can request. Hooks are not among them: it cannot call or see them. */
export const AbilityAction = {
  ListAbilities: 'LIST_ABILITIES',
  CreateTask: 'CREATE_TASK',
  RunTask: 'RUN_TASK',
} as const;
export type AbilityAction = (typeof AbilityAction)[keyof typeof AbilityAction];

/** Strict: an AI that names its caller, or asks to rerun an interrupted task, gets an error. */
const schemas = once(() => ({
  [AbilityAction.ListAbilities]: z.strictObject({ type: z.literal(AbilityAction.ListAbilities) }),
  [AbilityAction.CreateTask]: z.strictObject({
    type: z.literal(AbilityAction.CreateTask),
    ability_id: z.optional(z.string()),
    operation_key: z.optional(z.string()),
    ability_ref: z.optional(abilityContexts.PreAbilityCreate().shape.ability_ref),
    input: z.optional(z.unknown()),
  }),
  [AbilityAction.RunTask]: z.strictObject({ type: z.literal(AbilityAction.RunTask), task_key: z.string() }),
}));

export type ReadAction =
  | { readonly type: typeof AbilityAction.ListAbilities }
  | { readonly type: typeof AbilityAction.CreateTask; readonly ref: AbilityRef; readonly input: unknown }
  | { readonly type: typeof AbilityAction.RunTask; readonly task_key: string }
  | { readonly type: 'INVALID'; readonly message: string };

type CreateTask = z.infer<ReturnType<typeof schemas>['CREATE_TASK']>;

const invalid = (message: string): ReadAction => ({ type: 'INVALID', message });

const refsIn = ({ ability_id, operation_key, ability_ref }: CreateTask): AbilityRef[] => [
  ...(ability_id === undefined ? [] : [{ kind: 'ability_id' as const, value: ability_id }]),
  ...(operation_key === undefined ? [] : [{ kind: 'operation_key' as const, value: operation_key }]),
  ...(ability_ref === undefined ? [] : [ability_ref]),
];

const readCreate = (action: CreateTask): ReadAction => {
  const [ref, ...others] = refsIn(action);
  if (ref === undefined || others.length > 0) {
    return invalid('CREATE_TASK: expected one of ability_id, operation_key and ability_ref');
  }
  return { type: AbilityAction.CreateTask, ref, input: action.input };
};

const membersOf: Readonly<Record<AbilityAction, readonly string[]>> = {
  [AbilityAction.ListAbilities]: ['type'],
  [AbilityAction.CreateTask]: ['type', 'ability_id', 'operation_key', 'ability_ref', 'input'],
  [AbilityAction.RunTask]: ['type', 'task_key'],
};

const issueText = (type: AbilityAction, { issues }: z.core.$ZodError, value: unknown): string =>
  issues
    .flatMap((issue) => describeIssue(issue, value, { knownAt: () => membersOf[type] }))
    .map(({ path, message }) => `${[type, ...path].map(String).join('.')}: ${message}`)
    .join('; ');

const known: readonly string[] = Object.values(AbilityAction);

const readAs = <Action>(
  type: AbilityAction,
  schema: z.ZodMiniType<Action>,
  value: unknown,
  make: (action: Action) => ReadAction,
): ReadAction => {
  const read = schema.safeParse(value);
  return read.success ? make(read.data) : invalid(issueText(type, read.error, value));
};

/** Reads an action of an AI, which can be any value. */
export const readAction = (value: unknown): ReadAction => {
  if (!isRecord(value)) return invalid(`expected an object with a type, got ${describeValue(value)}`);
  const { type } = value;
  switch (type) {
    case AbilityAction.ListAbilities:
      return readAs(type, schemas()[type], value, () => ({ type }));
    case AbilityAction.CreateTask:
      return readAs(type, schemas()[type], value, readCreate);
    case AbilityAction.RunTask:
      return readAs(type, schemas()[type], value, ({ task_key }) => ({ type, task_key }));
    default: {
      const near = typeof type === 'string' ? formatSuggestion(type, known) : '';
      return invalid(`type: expected one of ${known.join(', ')}, got ${describeValue(type)}${near}`);
    }
  }
};
