// Creates the JSON Schema of a declaration file, for editors.
import * as z from 'zod/mini';
import { abilityEventTypes, mayHooksRefuse } from '../../events/index.ts';
import { isRecord } from '../../kit/index.ts';
import { abilityHookSchema } from '../../protocol/index.ts';

type JsonSchema = Record<string, unknown>;

const descriptionByField: Readonly<Record<string, string>> = {
  id: 'A name that is unique in the repository, preferably in kebab-case.',
  event_type: 'The event at which the hook runs.',
  enabled: 'false switches the hook off.',
  blocking: 'Whether the event waits for the hook and uses its answer.',
  summary: 'What it does, for people.',
  match: 'When the hook is active; without it, always. All keys must match.',
  'match.ability_scope': 'A glob over ability ids, or a list of them.',
  'match.min_duration_ms': 'Calls that take at least so long (PostAbilityCall).',
  'match.only_if_changed_paths': 'Globs, one of which must match a changed file (SessionStop).',
  handler:
    'The program to run. It reads the context as JSON on standard input and answers with JSON on standard output.',
  on_fault: 'What happens if this blocking hook fails: skip the hook, or fail the event.',
  effects: 'What the hook changes, for people. Nothing in it is executed.',
};

const addDescriptions = (schema: JsonSchema, prefix = ''): JsonSchema => {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const members = Object.entries(properties).map(([key, member]) => {
    const path = prefix + key;
    const description = descriptionByField[path];
    const inner = isRecord(member) ? addDescriptions(member, `${path}.`) : {};
    return [key, description === undefined ? inner : { description, ...inner }];
  });
  return { ...schema, properties: Object.fromEntries(members) };
};

const withChoices = (schema: JsonSchema, key: string, choices: readonly string[]): JsonSchema => {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const { description } = isRecord(properties[key]) ? properties[key] : {};
  return { ...schema, properties: { ...properties, [key]: { description, type: 'string', enum: choices } } };
};

export const abilityHookJsonSchema = (): JsonSchema => {
  const { $schema: _draft, ...schema } = z.toJSONSchema(abilityHookSchema(), { target: 'draft-7' });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Hook of a repository',
    description: 'A .system/hooks/<id>.yaml: one hook for the abilities of the repository.',
    ...withChoices(addDescriptions(schema), 'event_type', abilityEventTypes),
    anyOf: [
      { properties: { blocking: { const: true } } },
      { properties: { event_type: { enum: abilityEventTypes.filter((name) => !mayHooksRefuse(name)) } } },
    ],
  };
};
