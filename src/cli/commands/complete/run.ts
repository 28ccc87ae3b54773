import { questionFor, type Suggestion } from '../../arguments/completion.ts';
import type { CommandSpec, Completion } from '../../arguments/spec.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { ExitCode } from '../../exit-code.ts';
import { recordedSessions, shortPath } from '../../sources/sessions.ts';
import { oneLine } from '../../terminal/text.ts';
import type { completeSpec } from './spec.ts';

const hookNames = async (context: Context): Promise<Suggestion[]> => {
  const { readConfiguration } = await import('../../sources/configured.ts');
  const { hooks } = await readConfiguration(context);
  return hooks.map(({ row }) => ({ word: row.name, about: row.eventName }));
};

const eventNames = async (): Promise<Suggestion[]> => {
  const { catalogue, hookEventNames } = await import('../../../events/index.ts');
  const { abilityCatalogue, abilityEventTypes, isAbilityEventType } = await import('../../../events/index.ts');
  const abilities = abilityEventTypes.filter(isAbilityEventType);
  return [
    ...hookEventNames.map((word) => ({ word, about: catalogue[word].when })),
    ...abilities.map((word) => ({ word, about: abilityCatalogue[word].when })),
  ];
};

const toolNames = async (context: Context): Promise<Suggestion[]> => {
  const { readConfiguration } = await import('../../sources/configured.ts');
  const { hooks } = await readConfiguration(context);
  const matchers = hooks.flatMap(({ row: { matcher = '' } }) => (/^[\w|-]+$/.test(matcher) ? matcher.split('|') : []));
  return matchers.map((word) => ({ word, about: 'from a matcher' }));
};

const found: Readonly<Record<Completion, (context: Context) => Promise<Suggestion[]> | Suggestion[]>> = {
  events: eventNames,
  hooks: hookNames,
  tools: toolNames,
  sessions: ({ cwd }) => [
    { word: 'last', about: 'the newest recording' },
    ...recordedSessions(cwd).map((file) => ({ word: shortPath(file, cwd) })),
    { word: ':files' },
  ],
  files: () => [{ word: ':files' }],
  directories: () => [{ word: ':directories' }],
};

const lineOf = ({ word, about }: Suggestion): string =>
  word.startsWith(':') ? word : `${oneLine(word)}\t${oneLine(about ?? '')}`;

const fits = (word: string, begun: string): boolean => word.startsWith(':') || word.toLowerCase().startsWith(begun);

/** Whatever is wrong with the settings, a shell wants words and not a message. */
export const completing =
  (specs: readonly CommandSpec[]): Run<typeof completeSpec> =>
  async ({ words }, { broken: _toldElsewhere, ...context }) => {
    const { candidates, lookUp } = questionFor(words, specs);
    const all = lookUp === undefined ? candidates : [...candidates, ...(await found[lookUp](context))];
    const begun = (words.at(-1) ?? '').toLowerCase();
    const lines = new Set(all.filter(({ word }) => fits(word, begun)).map(lineOf));
    context.write([...lines].map((line) => `${line}\n`).join(''));
    return ExitCode.Ok;
  };
