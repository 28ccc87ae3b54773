import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { CALL_PATTERN } from './call-pattern.ts';
import { hookFields } from './settings.ts';

const names = () => z.array(z.string());

/** `500ms`, `5s`, `1.5m`, `1h`. */
const DURATION = /^\s*\d+(?:\.\d+)?\s*(?:[mM]?[sS]|[mMhH])\s*$/;

/** Members of a settings file that are objects themselves, but for the hooks. */
export const settingsSections = once(() => ({
  hooksConfig: { enabled: z.boolean(), disabled: names(), notifications: z.boolean() },
  tools: { enableHooks: z.boolean() },
}));

/** One pattern, or several. */
const conditionSchema = () => {
  const pattern = () => z.string().check(z.regex(CALL_PATTERN));
  return z.union([pattern(), z.array(pattern()).check(z.minLength(1))]);
};

/** A hook in a file: functions stand in code only, and a time may have a unit. */
export const hookInFileSchema = once(() => {
  const { action: _onlyInCode, ...fields } = hookFields();
  const type = z.enum(['command', 'worker', 'http', 'rule', 'prompt', 'mcp']);
  const timeout = z.union([z.number().check(z.positive()), z.string().check(z.regex(DURATION))]);
  return z.strictObject(optional({ ...fields, async: fields.background, type, timeout, if: conditionSchema() }));
});

export const definitionSchema = once(() =>
  z.strictObject({
    matcher: z.optional(z.string()),
    sequential: z.optional(z.boolean()),
    description: z.optional(z.string()),
    hooks: z.array(hookInFileSchema()),
  }),
);

/** A rule that stands where a group does. */
export const ruleSchema = once(() => {
  const { name, description, verdict, reason } = hookFields();
  const { matcher, sequential } = definitionSchema().shape;
  const more = optional({ if: conditionSchema(), name, description, reason, type: z.literal('rule') });
  return z.strictObject({ matcher, sequential, verdict, ...more });
});

const optional = <Fields extends Record<string, z.ZodMiniType>>(
  fields: Fields,
): { [Key in keyof Fields]: z.ZodMiniOptional<Fields[Key]> } => z.partial(z.object(fields)).shape;

/** Hooks by event, for the events given. */
const eventsSchema = (eventNames: readonly string[]) =>
  z.strictObject(
    optional(
      Object.fromEntries(eventNames.map((name) => [name, z.array(z.union([definitionSchema(), ruleSchema()]))])),
    ),
  );

/** What the hooks of each of these events may take. */
const budgetsSchema = (eventNames: readonly string[]) =>
  z.strictObject(optional(Object.fromEntries(eventNames.map((name) => [name, z.number().check(z.positive())]))));

/** Whose hooks are read besides: of every agent whether, and if so how. */
const dialectsSchema = () => {
  const how = z.strictObject(optional({ version: z.string(), mode: z.enum(['strict', 'faithful']) }));
  return z.record(z.string(), z.union([z.boolean(), how]));
};

/** What may stand at the top of a settings file. */
export const settingsFileKeys: readonly string[] = [
  '$schema',
  'hooks',
  'budgetMs',
  'hooksConfig',
  'tools',
  'allowEnv',
  'projectEnv',
  'required',
  'journal',
  'agents',
  'dialects',
];

/** A settings file of hookwright's own, for the events given. */
export const settingsFileSchema = (eventNames: readonly string[]) => {
  const { hooksConfig, tools } = settingsSections();
  return z.strictObject({
    $schema: z.optional(z.string()),
    hooks: z.optional(eventsSchema(eventNames)),
    budgetMs: z.optional(budgetsSchema(eventNames)),
    hooksConfig: z.optional(z.strictObject(optional(hooksConfig))),
    tools: z.optional(z.strictObject(optional(tools))),
    allowEnv: z.optional(names()),
    projectEnv: z.optional(z.enum(['all', 'listed'])),
    required: z.optional(names()),
    journal: z.optional(z.boolean()),
    agents: z.optional(dialectsSchema()),
    dialects: z.optional(dialectsSchema()),
  });
};

/** What may stand at the top of the `hooks.json` of an extension. */
export const extensionFileKeys: readonly string[] = ['$schema', 'description', 'hooks'];

/** The `hooks.json` of an extension, for the events given. */
export const extensionFileSchema = (eventNames: readonly string[]) =>
  z.strictObject({
    $schema: z.optional(z.string()),
    description: z.optional(z.string()),
    hooks: z.optional(eventsSchema(eventNames)),
  });
