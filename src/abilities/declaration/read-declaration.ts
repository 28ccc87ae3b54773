import { isRecord, pathText, valueAt } from '../../kit/index.ts';
import { type AbilityDeclaration, abilityHookSchema } from '../../protocol/index.ts';
import { type DeclarationProblem, keysAt, mismatch, unknownKey, warning } from './problems.ts';

export interface ReadDeclaration {
  /** Absent when the declaration cannot be used. */
  readonly declaration?: AbilityDeclaration;
  readonly problems: readonly DeclarationProblem[];
}

const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The author's own id in the spelling that is advised. */
const kebab = (id: string): string =>
  id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');

/** Settings files write it like this, and so do fingers that are used to them. */
const withOneSpelling = ({ onFault, ...rest }: Record<string, unknown>): Record<string, unknown> =>
  onFault === undefined || 'on_fault' in rest
    ? { ...rest, ...(onFault === undefined ? {} : { onFault }) }
    : { ...rest, on_fault: onFault };

/** The keys that are known; the others are told about and are no reason to leave the declaration out. */
const knownParts = (
  value: Record<string, unknown>,
  path: string,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const known = keysAt(path);
  const parts: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!known.includes(key)) {
      problems.push(unknownKey(path, key));
      continue;
    }
    const inner = path === '' ? key : `${path}.${key}`;
    parts[key] = isRecord(member) && keysAt(inner).length > 0 ? knownParts(member, inner, problems) : member;
  }
  return parts;
};

/** For people only: what is wrong in them is told, and costs the hook nothing. */
const descriptive = ['summary', 'effects'] as const;

/** Takes out what describes the hook in a form that cannot be read. */
const withoutMisdescriptions = (
  known: Record<string, unknown>,
  problems: DeclarationProblem[],
): Record<string, unknown> => {
  const { shape } = abilityHookSchema();
  const wrong = descriptive.filter((key) => !shape[key].safeParse(known[key]).success);
  for (const key of wrong) {
    const { message, ...rest } = mismatch(key, known[key]);
    problems.push({ ...rest, skipped: false, message: `${message}; the hook still runs` });
  }
  return Object.fromEntries(Object.entries(known).filter(([key]) => !wrong.some((one) => one === key)));
};

/** Reads what a file declares. Unknown keys are told; anything else that is wrong makes the declaration unusable. */
export const readDeclaration = (value: unknown): ReadDeclaration => {
  if (!isRecord(value)) return { problems: [mismatch('', value)] };
  const problems: DeclarationProblem[] = [];
  const known = withoutMisdescriptions(knownParts(withOneSpelling(value), '', problems), problems);
  const read = abilityHookSchema().safeParse(known);
  if (!read.success) {
    const mismatches = read.error.issues.map(({ path }) => mismatch(pathText(path), valueAt(known, path)));
    return { problems: [...problems, ...mismatches] };
  }
  const { data } = read;
  if (!KEBAB.test(data.id)) {
    problems.push(warning('id', `the id "${data.id}" works; in kebab-case it would be ${kebab(data.id)}`));
  }
  return { declaration: data, problems };
};
