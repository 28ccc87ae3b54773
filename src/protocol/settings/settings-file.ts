// Schemas of settings files: hookwright's own, and the `hooks.json` of an extension.
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { CALL_PATTERN } from './call-pattern.ts';
import { hookFields } from './settings.ts';

const namesSchema = () => z.array(z.string());

const DURATION_PATTERN = /^\s*\d+(?:\.\d+)?\s*(?:[mM]?[sS]|[mMhH])\s*$/;

export const settingsSections = once(() => ({
  hooksConfig: { enabled: z.boolean(), disabled: namesSchema(), notifications: z.boolean() },
  tools: { enableHooks: z.boolean() },
}));

const createConditionSchema = () => {
  const pattern = () => z.string().check(z.regex(CALL_PATTERN));
  return z.union([pattern(), z.array(pattern()).check(z.minLength(1))]);
};

/** A file cannot contain functions, but may write times with units, such as `5s`. */
export const hookInFileSchema = once(() => {
  const { action: _onlyInCode, ...fields } = hookFields();
  const type = z.enum(['command', 'worker', 'http', 'rule', 'prompt', 'mcp']);
  const timeout = z.union([z.number().check(z.positive()), z.string().check(z.regex(DURATION_PATTERN))]);
  return z.strictObject(
    makeFieldsOptional({ ...fields, async: fields.background, type, timeout, if: createConditionSchema() }),
  );
});

export const definitionSchema = once(() =>
  z.strictObject({
    matcher: z.optional(z.string()),
    sequential: z.optional(z.boolean()),
    description: z.optional(z.string()),
    hooks: z.array(hookInFileSchema()),
  }),
);

/** A rule written in place of a group of hooks, so it also has the fields of a group. */
export const ruleSchema = once(() => {
  const { name, description, verdict, reason } = hookFields();
  const { matcher, sequential } = definitionSchema().shape;
  const more = makeFieldsOptional({ if: createConditionSchema(), name, description, reason, type: z.literal('rule') });
  return z.strictObject({ matcher, sequential, verdict, ...more });
});

const makeFieldsOptional = <Fields extends Record<string, z.ZodMiniType>>(
  fields: Fields,
): { [Key in keyof Fields]: z.ZodMiniOptional<Fields[Key]> } => z.partial(z.object(fields)).shape;

const createEventsSchema = (eventNames: readonly string[]) =>
  z.strictObject(
    makeFieldsOptional(
      Object.fromEntries(eventNames.map((name) => [name, z.array(z.union([definitionSchema(), ruleSchema()]))])),
    ),
  );

const createBudgetsSchema = (eventNames: readonly string[]) =>
  z.strictObject(
    makeFieldsOptional(Object.fromEntries(eventNames.map((name) => [name, z.number().check(z.positive())]))),
  );

const createDialectsSchema = () => {
  const how = z.strictObject(makeFieldsOptional({ version: z.string(), mode: z.enum(['strict', 'faithful']) }));
  return z.record(z.string(), z.union([z.boolean(), how]));
};

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

export const createSettingsFileSchema = (eventNames: readonly string[]) => {
  const { hooksConfig, tools } = settingsSections();
  return z.strictObject({
    $schema: z.optional(z.string()),
    hooks: z.optional(createEventsSchema(eventNames)),
    budgetMs: z.optional(createBudgetsSchema(eventNames)),
    hooksConfig: z.optional(z.strictObject(makeFieldsOptional(hooksConfig))),
    tools: z.optional(z.strictObject(makeFieldsOptional(tools))),
    allowEnv: z.optional(namesSchema()),
    projectEnv: z.optional(z.enum(['all', 'listed'])),
    required: z.optional(namesSchema()),
    journal: z.optional(z.boolean()),
    agents: z.optional(createDialectsSchema()),
    dialects: z.optional(createDialectsSchema()),
  });
};

export const extensionFileKeys: readonly string[] = ['$schema', 'description', 'hooks'];

export const createExtensionFileSchema = (eventNames: readonly string[]) =>
  z.strictObject({
    $schema: z.optional(z.string()),
    description: z.optional(z.string()),
    hooks: z.optional(createEventsSchema(eventNames)),
  });
