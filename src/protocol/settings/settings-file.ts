// Schemas of settings files: hookwright's own, and the `hooks.json` of an extension.
import * as z from 'zod/mini';
import { once } from '../../kit/index.ts';
import { CALL_PATTERN } from './call-pattern.ts';
import { hookFields } from './settings.ts';

const names = () => z.array(z.string());

const DURATION = /^\s*\d+(?:\.\d+)?\s*(?:[mM]?[sS]|[mMhH])\s*$/;

export const settingsSections = once(() => ({
  hooksConfig: { enabled: z.boolean(), disabled: names(), notifications: z.boolean() },
  tools: { enableHooks: z.boolean() },
}));

const conditionSchema = () => {
  const pattern = () => z.string().check(z.regex(CALL_PATTERN));
  return z.union([pattern(), z.array(pattern()).check(z.minLength(1))]);
};

/** A file has no functions, but may write times with units, such as `5s`. */
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

/** A rule may stand where a group of hooks is expected. */
export const ruleSchema = once(() => {
  const { name, description, verdict, reason } = hookFields();
  const { matcher, sequential } = definitionSchema().shape;
  const more = optional({ if: conditionSchema(), name, description, reason, type: z.literal('rule') });
  return z.strictObject({ matcher, sequential, verdict, ...more });
});

const optional = <Fields extends Record<string, z.ZodMiniType>>(
  fields: Fields,
): { [Key in keyof Fields]: z.ZodMiniOptional<Fields[Key]> } => z.partial(z.object(fields)).shape;

const eventsSchema = (eventNames: readonly string[]) =>
  z.strictObject(
    optional(
      Object.fromEntries(eventNames.map((name) => [name, z.array(z.union([definitionSchema(), ruleSchema()]))])),
    ),
  );

const budgetsSchema = (eventNames: readonly string[]) =>
  z.strictObject(optional(Object.fromEntries(eventNames.map((name) => [name, z.number().check(z.positive())]))));

/** Other agents whose hooks are read: agent name → true or false, or its version and mode. */
const dialectsSchema = () => {
  const how = z.strictObject(optional({ version: z.string(), mode: z.enum(['strict', 'faithful']) }));
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

export const extensionFileKeys: readonly string[] = ['$schema', 'description', 'hooks'];

export const extensionFileSchema = (eventNames: readonly string[]) =>
  z.strictObject({
    $schema: z.optional(z.string()),
    description: z.optional(z.string()),
    hooks: z.optional(eventsSchema(eventNames)),
  });
