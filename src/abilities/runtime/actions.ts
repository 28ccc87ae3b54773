// Reads the actions that an AI requests.
import * as z from 'zod/mini';
import { type AbilityRef, abilityContexts } from '../../events/index.ts';
import { describeValue, formatSuggestion, isRecord, once } from '../../kit/index.ts';
import { describeIssue } from '../../protocol/index.ts';

/** The actions that an AI can request. An AI cannot call or see hooks. */
export const AbilityAction = {
  ListAbilities: 'LIST_ABILITIES',
  CreateTask: 'CREATE_TASK',
  RunTask: 'RUN_TASK',
} as const;
export type AbilityAction = (typeof AbilityAction)[keyof typeof AbilityAction];

/** Strict, so that an AI cannot name its caller or rerun an interrupted task. */
const actionSchemas = once(() => ({
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

type CreateTaskAction = z.infer<ReturnType<typeof actionSchemas>['CREATE_TASK']>;

const createInvalidAction = (message: string): ReadAction => ({ type: 'INVALID', message });

const collectAbilityRefs = ({ ability_id, operation_key, ability_ref }: CreateTaskAction): AbilityRef[] => [
  ...(ability_id === undefined ? [] : [{ kind: 'ability_id' as const, value: ability_id }]),
  ...(operation_key === undefined ? [] : [{ kind: 'operation_key' as const, value: operation_key }]),
  ...(ability_ref === undefined ? [] : [ability_ref]),
];

const readCreateTask = (action: CreateTaskAction): ReadAction => {
  const [ref, ...others] = collectAbilityRefs(action);
  if (ref === undefined || others.length > 0) {
    return createInvalidAction('CREATE_TASK: expected one of ability_id, operation_key and ability_ref');
  }
  return { type: AbilityAction.CreateTask, ref, input: action.input };
};

const describeIssues = (type: AbilityAction, { issues }: z.core.$ZodError, value: unknown): string =>
  issues
    .flatMap((issue) => describeIssue(issue, value, { knownAt: () => Object.keys(actionSchemas()[type].shape) }))
    .map(({ path, message }) => `${[type, ...path].map(String).join('.')}: ${message}`)
    .join('; ');

const actionTypes: readonly string[] = Object.values(AbilityAction);

const readActionAs = <Action>(
  type: AbilityAction,
  schema: z.ZodMiniType<Action>,
  value: unknown,
  make: (action: Action) => ReadAction,
): ReadAction => {
  const read = schema.safeParse(value);
  return read.success ? make(read.data) : createInvalidAction(describeIssues(type, read.error, value));
};

export const readAction = (value: unknown): ReadAction => {
  if (!isRecord(value)) return createInvalidAction(`expected an object with a type, got ${describeValue(value)}`);
  const { type } = value;
  switch (type) {
    case AbilityAction.ListAbilities:
      return readActionAs(type, actionSchemas()[type], value, () => ({ type }));
    case AbilityAction.CreateTask:
      return readActionAs(type, actionSchemas()[type], value, readCreateTask);
    case AbilityAction.RunTask:
      return readActionAs(type, actionSchemas()[type], value, ({ task_key }) => ({ type, task_key }));
    default: {
      const near = typeof type === 'string' ? formatSuggestion(type, actionTypes) : '';
      return createInvalidAction(`type: expected one of ${actionTypes.join(', ')}, got ${describeValue(type)}${near}`);
    }
  }
};
