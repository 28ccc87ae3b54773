import { describeThrown } from '../../kit/index.ts';
import { homeDirectory, within } from '../../kit/node.ts';
import { ConfigSource, type Logger } from '../../protocol/index.ts';
import type { HookRegistryDeps, TrustQuestion, TrustVerdict } from '../../registry/index.ts';
import { createTrustCheck } from '../../trust/index.ts';
import type { IdentifiedFile } from '../identify.ts';
import { type ApprovedForms, approvedForms, guardedAbove, termsOf } from './approved-forms.ts';
import type { ApprovedForm } from './missing-guard.ts';

type TrustCheck = HookRegistryDeps['trustCheck'];

/** A file, and whether what it declares is trusted. */
export interface JudgedFile extends IdentifiedFile {
  readonly verdict: TrustVerdict;
  /** Whether the hook of this file may be one that decides: it was trusted, or it cannot be told that it was not. */
  readonly mayDecide: boolean;
  /**
   * Whether the user was asked about it and never approved it; in a folder that is not trusted as a whole there is no
   * question.
   */
  readonly awaitsApproval: boolean;
  /** What the user approved of it at last. */
  readonly approved?: ApprovedForm | undefined;
}

export interface JudgeOptions {
  readonly trustedFolder?: boolean | undefined;
  readonly home?: string | undefined;
  readonly trustCheck?: TrustCheck;
  readonly logger?: Logger | undefined;
}

const isRefused = (verdict: TrustVerdict): boolean => verdict === false || verdict === 'untrusted';

/** The question about an unreadable file. */
const questionAbout = ({ file, hookId }: IdentifiedFile): TrustQuestion => {
  const { hook, id: name = hookId, eventType: eventName = '', remains = {} } = file;
  const source = { kind: ConfigSource.Project, file: file.file, line: hook?.line ?? 1 };
  const matcher = hook === undefined ? JSON.stringify(remains) : termsOf(hook);
  return { hookId, name, eventName, source, matcher, sequential: false, config: hook?.config ?? { name } };
};

/** Decides about what files declare, before any of it is run. */
export class Judge {
  readonly #root: string;
  readonly #options: JudgeOptions;
  readonly #check: TrustCheck;

  constructor(root: string, options: JudgeOptions) {
    this.#root = root;
    this.#options = options;
    const { trustCheck, trustedFolder, home = homeDirectory(), logger } = options;
    const onTrouble = (message: string): void => logger?.warn?.(message);
    const isUndecided = trustCheck === undefined && trustedFolder === undefined;
    this.#check = isUndecided ? createTrustCheck({ home, projectDir: root, onTrouble }) : trustCheck;
  }

  /** What was approved, where approvals are kept by us. */
  approvedForms(files: readonly string[]): Promise<ApprovedForms | undefined> {
    return approvedForms(this.#check, files);
  }

  /** Projects above whose approved guards hold here. */
  guardedAbove(): Promise<readonly string[]> {
    return guardedAbove(this.#check);
  }

  /** Trusts a folder without stored approvals. */
  get trustsFolder(): boolean {
    return this.#check === undefined && this.#options.trustedFolder === true;
  }

  async judgeAll(files: readonly IdentifiedFile[], forms: ApprovedForms | undefined): Promise<JudgedFile[]> {
    return Promise.all(
      files.map(async (one) => {
        const said = await this.#judge(one, forms);
        const approved = forms?.of(one.file.file, one.file.id);
        // Whatever else was changed with it: this is the file that was approved.
        const verdict = isRefused(said) && approved !== undefined ? 'changed-since-trusted' : said;
        const mayDecide = !isRefused(verdict) || forms?.trouble !== undefined;
        return { ...one, verdict, approved, mayDecide, awaitsApproval: !mayDecide && this.#check !== undefined };
      }),
    );
  }

  async #judge(one: IdentifiedFile, forms: ApprovedForms | undefined): Promise<TrustVerdict> {
    const { hook, realPath } = one.file;
    const check = this.#check;
    if (check === undefined) {
      // A link can bring in content from outside the trusted folder; an unreadable file is in the folder.
      return this.trustsFolder && (hook === undefined || within(this.#root, realPath) !== undefined);
    }
    // Of what cannot be read our store knows nothing but the file.
    if (hook === undefined && forms !== undefined) return 'untrusted';
    try {
      return await check(questionAbout(one));
    } catch (error) {
      this.#options.logger?.error?.(
        `The trust check failed for ${one.hookId}, which stays untrusted: ${describeThrown(error)}`,
      );
      return 'untrusted';
    }
  }
}
