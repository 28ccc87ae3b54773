import * as z from 'zod/mini';
import { abilityEventTypes } from '../../events/index.ts';
import { isRecord } from '../../kit/index.ts';
import { abilityHookSchema } from '../../protocol/index.ts';

type Schema = Record<string, unknown>;

/** What an editor says about each key. */
const words: Readonly<Record<string, string>> = {
  id: 'A name of its own in the repository, best in kebab-case.',
  event_type: 'The moment at which the hook runs.',
  enabled: 'false takes the hook out of service.',
  blocking: 'Whether the hook is waited for and heard.',
  summary: 'What it does, for people.',
  match: 'When the hook is active; without it always. Every key that is given has to hold.',
  'match.ability_scope': 'A glob over ability ids, or a list of them.',
  'match.min_duration_ms': 'Calls at least this slow (PostAbilityCall).',
  'match.only_if_changed_paths': 'Globs of which a changed file has to match one (SessionStop).',
  handler: 'What is run. It reads the context as JSON on standard input and answers with JSON on standard output.',
  on_fault: 'What becomes of the event when this blocking hook breaks: skip the hook, or fail the event.',
  effects: 'What the hook changes, for people. Nothing in it is executed.',
};

/** The same schema with words for its keys. */
const described = (schema: Schema, prefix = ''): Schema => {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const members = Object.entries(properties).map(([key, member]) => {
    const path = prefix + key;
    const description = words[path];
    const inner = isRecord(member) ? described(member, `${path}.`) : {};
    return [key, description === undefined ? inner : { description, ...inner }];
  });
  return { ...schema, properties: Object.fromEntries(members) };
};

const withChoices = (schema: Schema, key: string, choices: readonly string[]): Schema => {
  const { properties } = schema;
  if (!isRecord(properties)) return schema;
  const { description } = isRecord(properties[key]) ? properties[key] : {};
  return { ...schema, properties: { ...properties, [key]: { description, type: 'string', enum: choices } } };
};

/** The JSON Schema of a declaration file, in the form that editors understand best. */
export const abilityHookJsonSchema = (): Schema => {
  const { $schema: _draft, ...schema } = z.toJSONSchema(abilityHookSchema(), { target: 'draft-7' });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Hook of a repository',
    description: 'A .system/hooks/<id>.yaml: one hook on what is done with the abilities of the repository.',
    ...withChoices(described(schema), 'event_type', abilityEventTypes),
  };
};
