import { statSync } from 'node:fs';
import { isSameList } from '../../kit/index.ts';
import { type HookConfig, originOf, type RowSource, withOrigin } from '../../protocol/index.ts';
import { FileLook } from './scripts/look-at-files.ts';
import { approvalHash, type TrustSubject } from './subject.ts';

/** Clocks of file systems tick in steps: two changes within one of them look like one. */
const TICK_MS = 100;

let looks = 0;

/**
 * What changes when a file does: writing sets the last two, and nobody can set the very last one back. Of a file that
 * changed just now it is different every time, so that its content is looked at until the next change would show.
 */
const stampOf = (path: string): string | undefined => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return undefined;
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = stats;
    const isSettled = Date.now() - Number(ctimeMs) > TICK_MS;
    if (!isSettled) looks += 1;
    return [dev, ino, size, mtimeNs, ctimeNs, ...(isSettled ? [] : [looks])].join(' ');
  } catch {
    return 'unreadable';
  }
};

type Stamps = readonly (string | undefined)[];

export const stampsOf = ({ files }: TrustSubject): Stamps => files.map(({ path }) => stampOf(path));

interface Sealed {
  readonly subject: TrustSubject;
  readonly hook: HookConfig;
  readonly source: Pick<RowSource, 'kind' | 'extension'>;
}

export interface Sealing {
  /** From before its files were read for the approval that was found. */
  readonly stamps: Stamps;
  /** What the approval lets it see. */
  readonly secrets?: readonly string[] | undefined;
  /** Whether the approval covers all that it starts. */
  readonly isCovered: boolean;
}

/**
 * Keeps an approved hook to what was approved for as long as the session lasts: an agent may well edit the scripts of
 * its own hooks.
 */
export const sealHook = (
  { subject, hook, source }: Sealed,
  hash: string,
  { stamps, secrets, isCovered }: Sealing,
): void => {
  const origin = {
    ...(originOf(hook) ?? { source: source.kind, extension: source.extension }),
    approved: true as const,
    ...(isCovered || subject.start?.interpreter !== undefined ? { programsOutside: true as const } : {}),
    ...(secrets === undefined ? {} : { secrets }),
  };
  withOrigin(hook, origin);
  if (subject.files.length === 0) return;
  let known = stamps;
  const lookAgain = async (): Promise<string | undefined> => {
    const found = stampsOf(subject);
    const states = await new FileLook().statesOf(subject.files, subject.roots);
    if (approvalHash(subject.content, states) !== hash) {
      const names = subject.files.map(({ named }) => named).join(', ');
      return `what it runs (${names}) changed after it was approved; look at the change and approve it again`;
    }
    known = found;
    return undefined;
  };
  const changed = (): string | undefined | Promise<string | undefined> =>
    isSameList(known, stampsOf(subject)) ? undefined : lookAgain();
  withOrigin(hook, { ...origin, changed });
};
