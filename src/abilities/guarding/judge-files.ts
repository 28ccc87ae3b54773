/** Decides by the approvals in the trust store which declaration files of ability hooks may run. */
import { basename } from 'node:path';
import * as z from 'zod/mini';
import { isAbilityEventType } from '../../events/index.ts';
import { omitUndefined, once, parseJson } from '../../kit/index.ts';
import { findHomeDirectory, toPathWithin } from '../../kit/node.ts';
import { type AbilityHook, ConfigSource, type Logger } from '../../protocol/index.ts';
import {
  callTrustCheck,
  HookIds,
  type TrustCheck,
  type TrustQuestion,
  type TrustVerdict,
} from '../../registry/index.ts';
import {
  type Approval,
  createTrustCheck,
  getScopeOfTrustCheck,
  type TrustScope,
  TrustStore,
} from '../../trust/index.ts';
import { createFileProblem } from '../declaration/problems.ts';
import type { AbilityHookFile } from '../declaration/read-hook-file.ts';
import { type ApprovedDeclaration, resolveOnFault } from './missing-guard.ts';

export interface JudgedFile {
  readonly file: AbilityHookFile;
  readonly hookId: string;
  readonly verdict: TrustVerdict;
  /** The hook may decide calls: it was approved before, or approvals cannot be read. */
  readonly mayDecide: boolean;
  readonly awaitsApproval: boolean;
  readonly approved?: ApprovedDeclaration | undefined;
}

export interface FileJudgeOptions {
  readonly trustedFolder?: boolean | undefined;
  readonly home?: string | undefined;
  readonly trustCheck?: TrustCheck | undefined;
  readonly logger?: Logger | undefined;
}

export class DeclarationJudge {
  readonly #root: string;
  readonly #logger: Logger | undefined;
  readonly #check: TrustCheck | undefined;
  /** `undefined` if the host decides trust itself. */
  readonly #scope: TrustScope | undefined;
  readonly trustsFolder: boolean;

  constructor(root: string, { trustCheck, trustedFolder, home = findHomeDirectory(), logger }: FileJudgeOptions) {
    this.#root = root;
    this.#logger = logger;
    const onTrouble = (message: string): void => logger?.warn?.(message);
    const isUndecided = trustCheck === undefined && trustedFolder === undefined;
    this.#check = isUndecided ? createTrustCheck({ home, projectDir: root, onTrouble }) : trustCheck;
    this.#scope = getScopeOfTrustCheck(this.#check);
    this.trustsFolder = this.#check === undefined && trustedFolder === true;
  }

  async approvedDeclarations(files: readonly string[]): Promise<ApprovedDeclarations | undefined> {
    if (this.#scope === undefined) return undefined;
    const { home, projectDir } = this.#scope;
    const { approvals, trouble } = await new TrustStore(home).approvalsFor(projectDir);
    return new ApprovedDeclarations(projectDir, approvals, files, trouble);
  }

  async guardedAbove(): Promise<readonly string[]> {
    if (this.#scope === undefined) return [];
    const { home, projectDir } = this.#scope;
    return new TrustStore(home).guardedAbove(projectDir, (approval) =>
      readApprovedDeclarations(approval).some(isGuard),
    );
  }

  async judgeAll(files: readonly AbilityHookFile[], forms: ApprovedDeclarations | undefined): Promise<JudgedFile[]> {
    const ids = new HookIds();
    const identified = files.map((one) => {
      const file = this.#withForeignProblem(one);
      const { id: name = basename(file.file), eventType: eventName = '' } = file;
      return { file, hookId: ids.idFor({ source: ConfigSource.Project, eventName }, file.file, { name }) };
    });
    return Promise.all(
      identified.map(async ({ file, hookId }) => {
        const found = await this.#judge(file, hookId, forms);
        const approved = forms?.of(file.file, file.id);
        const verdict = isRefused(found) && approved !== undefined ? 'changed-since-trusted' : found;
        const mayDecide = !isRefused(verdict) || forms?.trouble !== undefined || this.#isForeign(file);
        const awaitsApproval = !mayDecide && this.#check !== undefined;
        return { file, hookId, verdict, approved, mayDecide, awaitsApproval };
      }),
    );
  }

  /** A link may lead to content outside the trusted folder, so the real path decides for a readable file. */
  #isForeign({ hook, realPath }: AbilityHookFile): boolean {
    return this.trustsFolder && hook !== undefined && toPathWithin(this.#root, realPath) === undefined;
  }

  #withForeignProblem(file: AbilityHookFile): AbilityHookFile {
    if (!this.#isForeign(file)) return file;
    const message = `the file leads to ${file.realPath}, which is outside the trusted folder, so its hook does not run`;
    return { ...file, problems: [...file.problems, createFileProblem(file.file, 'unreadable-file', message)] };
  }

  async #judge(file: AbilityHookFile, hookId: string, forms: ApprovedDeclarations | undefined): Promise<TrustVerdict> {
    const { hook } = file;
    if (this.#check === undefined) return this.trustsFolder && !this.#isForeign(file);
    // The trust store cannot recognise an unreadable file.
    if (hook === undefined && forms !== undefined) return 'untrusted';
    return callTrustCheck(this.#check, createTrustQuestion(file, hookId), (message) => this.#logger?.error?.(message));
  }
}

const isRefused = (verdict: TrustVerdict): boolean => verdict === false || verdict === 'untrusted';

const createTrustQuestion = (
  { file, hook, id, eventType, remains = {} }: AbilityHookFile,
  hookId: string,
): TrustQuestion => {
  const name = id ?? hookId;
  return {
    hookId,
    name,
    eventName: eventType ?? '',
    source: { kind: ConfigSource.Project, file, line: hook?.line ?? 1 },
    matcher: hook === undefined ? JSON.stringify(remains) : serializeTerms(hook),
    sequential: false,
    config: hook?.config ?? { name },
  };
};

const serializeTerms = ({ enabled, match, blocking, onFault }: AbilityHook): string =>
  JSON.stringify({ enabled, match, blocking, onFault });

export class ApprovedDeclarations {
  readonly trouble: string | undefined;
  readonly gone: readonly ApprovedDeclaration[];
  readonly #projectDir: string;
  readonly #byFile: ReadonlyMap<string | undefined, ApprovedDeclaration>;

  constructor(projectDir: string, approvals: readonly Approval[], files: readonly string[], trouble?: string) {
    const found = new Set(files.map((file) => toPathWithin(projectDir, file)));
    // Oldest first, so that the latest approval of a file replaces the earlier ones.
    const forms = approvals
      .toSorted((a, b) => (a.approvedAt < b.approvedAt ? -1 : 1))
      .flatMap(readApprovedDeclarations);
    this.trouble = trouble;
    this.gone = forms.filter(({ file }) => file === undefined || !found.has(file));
    this.#projectDir = projectDir;
    this.#byFile = new Map(forms.map((form) => [form.file, form]));
  }

  isGuard(file: string, id: string | undefined): boolean {
    const form = this.of(file, id);
    return form !== undefined && isGuard(form);
  }

  /** Returns the last approval of the file, or if the file was moved, of the hook's id. */
  of(file: string, id: string | undefined): ApprovedDeclaration | undefined {
    const path = toPathWithin(this.#projectDir, file);
    const here = path === undefined ? undefined : this.#byFile.get(path);
    return here ?? this.gone.findLast((form) => form.id === id);
  }
}

const isGuard = ({ enabled, blocking, eventType, onFault }: ApprovedDeclaration): boolean =>
  enabled && blocking && resolveOnFault(eventType, onFault) === 'fail';

const termsSchema = once(() => {
  const globs = z.optional(z.array(z.string()));
  return z.object({
    enabled: z.boolean(),
    blocking: z.boolean(),
    onFault: z.optional(z.enum(['skip', 'fail'])),
    match: z.object({ abilityScope: globs, minDurationMs: z.optional(z.number()), onlyIfChangedPaths: globs }),
  });
});

const approvalSchema = once(() =>
  z.object({
    event: z.string(),
    file: z.optional(z.string()),
    matcher: z.string(),
    hook: z.object({ name: z.string() }),
  }),
);

const readApprovedDeclarations = ({ content: approved }: Pick<Approval, 'content'>): ApprovedDeclaration[] => {
  const content = approvalSchema().safeParse(approved);
  if (!content.success) return [];
  const { event, file, matcher, hook } = content.data;
  const parsed = parseJson(matcher);
  const terms = parsed.ok ? termsSchema().safeParse(parsed.value) : undefined;
  if (!isAbilityEventType(event) || terms?.success !== true) return [];
  return [{ ...terms.data, match: omitUndefined(terms.data.match), id: hook.name, eventType: event, file }];
};
