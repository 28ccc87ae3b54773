import type { ReadYaml, YamlProblem } from './plain-value.ts';
import { readYaml } from './read-yaml.ts';

/** Where what is for people only begins; the lines that belong to it are indented, empty, or items of a list. */
const DESCRIPTION = /^(?:summary|effects)[ \t]*:/;
const BELONGS = /^(?:[ \t]|$|-(?:[ \t]|$))/;

/** The same text, with blanks where it only describes: everything else stays where it is. */
const withBlanks = (text: string): string => {
  let isDescription = false;
  return text
    .split(/(?<=\n)/)
    .map((line) => {
      isDescription = DESCRIPTION.test(line) || (isDescription && BELONGS.test(line.trimEnd()));
      return isDescription ? line.replace(/[^\r\n]/g, ' ') : line;
    })
    .join('');
};

export interface ReadText extends ReadYaml {
  /** What is wrong with the description, where nothing else is wrong with the text. */
  readonly misdescription?: YamlProblem | undefined;
}

/** Reads a declaration. What only describes it is for people: where it is no YAML, the rest stands. */
export const readDeclarationText = (text: string): ReadText => {
  const whole = readYaml(text);
  const [misdescription] = whole.problems;
  if (misdescription === undefined) return whole;
  const blanked = withBlanks(text);
  const rest = blanked === text ? whole : readYaml(blanked);
  return rest.problems.length > 0 ? whole : { ...rest, misdescription };
};
