import { counted } from '../rendering/problem-lines.ts';
import type { World } from './diagnosis.ts';

/** One variable of the environment, and which hooks see it. Its value is shown only where it is not personal. */
export interface SeenVariable {
  readonly name: string;
  readonly value: string;
  /** False when hooks of projects and extensions do not get it. */
  readonly foreign: boolean;
}

/** What explains why a program is not found, and is no secret. */
const shown =
  /^(?:PATH|HOME|PWD|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|CI|NODE_ENV|(?:HOOKWRIGHT|GEMINI|CLAUDE)_(?:PROJECT_DIR|CWD|SESSION_ID))$/;

/** The environment hooks will see. */
export const seenEnvironment = ({ environment, foreignEnvironment }: World): SeenVariable[] =>
  Object.entries(environment)
    .map(([name, value]) => ({
      name,
      value: shown.test(name) ? value : `(${counted(value.length, 'character')})`,
      foreign: Object.hasOwn(foreignEnvironment, name),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
