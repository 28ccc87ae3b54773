import * as z from 'zod/mini';
import { isAbilityEventType } from '../../events/index.ts';
import { once, parseJson } from '../../kit/index.ts';
import { within } from '../../kit/node.ts';
import type { AbilityHook, AbilityMatch } from '../../protocol/index.ts';
import { placeOfCheck, type TrustPlace, TrustStore } from '../../trust/index.ts';
import { type ApprovedForm, faultAt } from './missing-guard.ts';

const globs = () => z.optional(z.array(z.string()));

/** Whether a declaration that was approved decides whether something is done: its absence is to be refused for. */
const isGuard = ({ enabled, blocking, eventType, onFault }: ApprovedForm): boolean =>
  enabled && blocking && faultAt(eventType, onFault) === 'fail';

/** Directories above in which guards were approved, where approvals are kept by us. */
export const guardedAbove = async (check: object | undefined): Promise<readonly string[]> => {
  const place = placeOfCheck(check);
  if (place === undefined) return [];
  return new TrustStore(place.home).guardedAbove(place.projectDir, ({ content }) => {
    const form = formOf(content);
    return form !== undefined && isGuard(form);
  });
};

/** What of a declaration is approved beside what it runs. */
const termsSchema = once(() =>
  z.object({
    enabled: z.boolean(),
    blocking: z.boolean(),
    onFault: z.optional(z.enum(['skip', 'fail'])),
    match: z.object({
      abilityScope: globs(),
      minDurationMs: z.optional(z.number()),
      onlyIfChangedPaths: globs(),
    }),
  }),
);

const contentSchema = once(() =>
  z.object({
    event: z.string(),
    file: z.optional(z.string()),
    matcher: z.string(),
    hook: z.object({ name: z.string() }),
  }),
);

/** The terms of a declaration, as the one who approves it is shown them. */
export const termsOf = ({ enabled, match, blocking, onFault }: AbilityHook): string =>
  JSON.stringify({ enabled, match, blocking, onFault });

const formOf = (approved: unknown): ApprovedForm | undefined => {
  const content = contentSchema().safeParse(approved);
  if (!content.success) return undefined;
  const { event, file, matcher, hook } = content.data;
  const parsed = parseJson(matcher);
  const terms = parsed.ok ? termsSchema().safeParse(parsed.value) : undefined;
  if (!isAbilityEventType(event) || terms?.success !== true) return undefined;
  return { ...terms.data, match: definedOnly(terms.data.match), id: hook.name, eventType: event, file };
};

const definedOnly = ({
  abilityScope,
  minDurationMs,
  onlyIfChangedPaths,
}: z.infer<ReturnType<typeof termsSchema>>['match']): AbilityMatch => ({
  ...(abilityScope === undefined ? {} : { abilityScope }),
  ...(minDurationMs === undefined ? {} : { minDurationMs }),
  ...(onlyIfChangedPaths === undefined ? {} : { onlyIfChangedPaths }),
});

/** What the user approved of the declarations of a repository. */
export class ApprovedForms {
  /** Why it cannot be told what was approved, if so. */
  readonly trouble: string | undefined;
  /** Approved, and their files are gone. */
  readonly gone: readonly ApprovedForm[];
  readonly #projectDir: string;
  readonly #byPlace: ReadonlyMap<string | undefined, ApprovedForm>;

  /** The forms in the order in which they were approved: the last one of a file is the one that counts. */
  constructor(projectDir: string, forms: readonly ApprovedForm[], files: readonly string[], trouble?: string) {
    const places = new Set(files.map((file) => within(projectDir, file)));
    this.trouble = trouble;
    this.gone = forms.filter(({ file }) => file === undefined || !places.has(file));
    this.#projectDir = projectDir;
    this.#byPlace = new Map(forms.map((form) => [form.file, form]));
  }

  /** Whether what stands in a file was approved as a guard. */
  isGuard(file: string, id: string | undefined): boolean {
    const form = this.of(file, id);
    return form !== undefined && isGuard(form);
  }

  /** The last approved form of what stands in a file; of a file that moved, by the id. */
  of(file: string, id: string | undefined): ApprovedForm | undefined {
    const place = within(this.#projectDir, file);
    const here = place === undefined ? undefined : this.#byPlace.get(place);
    return here ?? this.gone.findLast((form) => form.id === id);
  }
}

/** Reads what was approved where approvals are kept by us; nothing where the host decides by other means. */
export const approvedForms = async (
  check: object | undefined,
  files: readonly string[],
): Promise<ApprovedForms | undefined> => {
  const place: TrustPlace | undefined = placeOfCheck(check);
  if (place === undefined) return undefined;
  const { approvals, trouble } = await new TrustStore(place.home).approvalsFor(place.projectDir);
  const inTime = approvals.toSorted((a, b) => (a.approvedAt < b.approvedAt ? -1 : 1));
  return new ApprovedForms(
    place.projectDir,
    inTime.flatMap(({ content }) => formOf(content) ?? []),
    files,
    trouble,
  );
};
