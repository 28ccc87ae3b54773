/** Finds guards that are known and cannot be asked: of files that cannot be read, moved to another event, or switched off. */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { once } from '../kit/index.ts';
import { lookAtDirectoryNow, readOwnJson, within, writeOwnFile } from '../kit/node.ts';
import {
  type ConfigProblem,
  ConfigSource,
  isGuardEntry,
  type LostGuard,
  type OnFault,
  originOf,
} from '../protocol/index.ts';
import type { ConfiguredHook } from '../registry/index.ts';
import { type Approval, guardIn, isStrict, type KnownGuard } from '../trust/index.ts';
import type { Gathered } from './reading/gather.ts';
import type { GuardedFile } from './source-file.ts';

/** Events of which a guard decides whether something is done: where it cannot be asked, only these are refused. */
const refused: ReadonlySet<string> = new Set(['BeforeTool', 'PermissionRequest']);

const GO_ON = 'repair the file, or go on without hooks for ten minutes: hookwright disable --all --for 10m';

interface FileOf {
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly message: string;
}

const lost = (guard: KnownGuard, kind: ConfigSource, { file, line = 1, message }: FileOf): LostGuard => ({
  name: guard.name,
  eventName: guard.event,
  ...(guard.matcher === undefined ? {} : { matcher: guard.matcher }),
  onFault: guard.onFault,
  source: { kind, ...(file === undefined ? {} : { file, line }) },
  code: 'invalid-config',
  message,
});

const whyUnread = ({ file, unread }: GuardedFile): FileOf => {
  const { line = 1, message = 'it cannot be read' } = unread ?? {};
  return { file: file.path, line, message: `${file.path}:${line} cannot be read (${message}); ${GO_ON}` };
};

/** An error that keeps hooks of a file from being read, while the rest of it counts. */
const mistakeIn = ({ file }: GuardedFile, problems: readonly ConfigProblem[]): FileOf | undefined => {
  const found = problems.find(
    ({ severity, skipped, file: path }) => severity === 'error' && skipped && path === file.path,
  );
  if (found === undefined) return undefined;
  const { line = 1, message } = found;
  return { file: file.path, line, message: `it cannot be read at ${file.path}:${line} (${message}); ${GO_ON}` };
};

interface Surroundings {
  readonly projectDir: string;
  readonly home: string;
  readonly approvals: readonly Approval[];
}

interface ReadSettings {
  readonly rows: readonly ConfiguredHook[];
  readonly problems: readonly ConfigProblem[];
}

/** What is refused in place of guards whose files cannot be read, or that a mistake keeps out of them. */
export const guardsUnread = (
  found: readonly GuardedFile[],
  { projectDir, home, approvals }: Surroundings,
  { rows, problems }: ReadSettings,
): LostGuard[] => {
  const kept = once(() => readKnown(home));
  const isThere = ({ name, event }: KnownGuard): boolean =>
    rows.some((row) => row.config !== undefined && row.name === name && row.eventName === event);
  return found.flatMap((one) => {
    const isWhole = one.unread === undefined;
    const why = isWhole ? mistakeIn(one, problems) : whyUnread(one);
    if (why === undefined) return [];
    const { path, owner, scope } = one.file;
    const place = within(projectDir, path);
    const isOfFile = (guard: KnownGuard & { readonly file?: string }): boolean =>
      guard.file === place || (guard.file === undefined && !isWhole);
    const guards =
      owner === 'project'
        ? approvals.flatMap((approval) => guardIn(approval) ?? []).filter(isOfFile)
        : (kept()[path] ?? []);
    return guards
      .filter((guard) => refused.has(guard.event) && !(isWhole && isThere(guard)))
      .map((guard) => lost(guard, scope, why));
  });
};

/** The events that guards were moved away from without an approval: what they decided there is refused. */
export const guardsMoved = (
  moved: readonly {
    readonly previous: Approval;
    readonly event: string;
    readonly file?: string | undefined;
    readonly line?: number | undefined;
  }[],
): LostGuard[] =>
  moved.flatMap(({ previous, event, file, line }) => {
    const guard = guardIn(previous);
    if (guard === undefined || guard.event === event) return [];
    const message = `it was approved for ${guard.event} and stands at ${event} now; review it: hookwright trust`;
    return [{ ...lost(guard, ConfigSource.Project, { file, line, message }), code: 'changed-since-trusted' as const }];
  });

/** Guards that the user approved and the project switched off since, without the user. */
export const guardsSwitchedOff = (
  hooks: readonly ConfiguredHook[],
  { offInProject }: Pick<Gathered, 'offInProject'>,
  recorded: readonly string[],
): ConfigProblem[] => {
  const isOff = ({ disabled, source: { file } }: ConfiguredHook): boolean =>
    disabled === true || (file !== undefined && offInProject.includes(file));
  const isKnown = ({ config, approved }: ConfiguredHook): boolean =>
    isStrict(approved?.onFault) ||
    (config !== undefined && originOf(config)?.approved === true && isGuardEntry({ ...config }));
  return hooks
    .filter((hook) => isOff(hook) && isKnown(hook) && !recorded.includes(hook.name))
    .map(({ name, source }) => {
      const hint = `switch it on again, or record that you want this: hookwright disable ${JSON.stringify(name)}`;
      return {
        code: 'switched-off',
        severity: 'error',
        skipped: true,
        path: 'hooks',
        source: ConfigSource.Project,
        message: `the project switched "${name}" off, a guard that was approved, so it does not run; ${hint}`,
        hint,
        ...(source.file === undefined ? {} : { file: source.file, line: source.line ?? 1, column: 1 }),
      };
    });
};

const MAX_BYTES = 1_048_576;

/** Where guards of the user's and the system's files are remembered. */
export const knownGuardsFile = (home: string): string => join(home, '.hookwright', 'guards.json');

const knownSchema = once(() =>
  z.object({
    version: z.literal(1),
    files: z.record(
      z.string(),
      z.array(
        z.object({
          name: z.string(),
          event: z.string(),
          matcher: z.optional(z.string()),
          onFault: z.enum(['deny', 'ask']),
        }),
      ),
    ),
  }),
);

type KnownFiles = Readonly<Record<string, readonly KnownGuard[]>>;

const readKnown = (home: string): KnownFiles => {
  const known = knownSchema().safeParse(
    readOwnJson(knownGuardsFile(home), { maxBytes: MAX_BYTES, private: true }).value,
  );
  return known.success ? known.data.files : {};
};

const asKnown = ({ name, eventName, matcher, config }: ConfiguredHook): KnownGuard[] => {
  const onFault: OnFault | undefined = config?.onFault;
  return isStrict(onFault) ? [{ name, event: eventName, onFault, ...(matcher === undefined ? {} : { matcher }) }] : [];
};

/** Remembers the guards of the user's and the system's files, for a time when these cannot be read. */
export const keepKnown = async (
  home: string,
  found: readonly GuardedFile[],
  shares: Gathered['shares'],
  lostNow: readonly LostGuard[],
): Promise<void> => {
  const before = readKnown(home);
  const files: Record<string, readonly KnownGuard[]> = { ...before };
  for (const { file, unread } of found) {
    if (file.owner === 'project' || unread !== undefined) continue;
    const guards = shares.filter((share) => share.file.path === file.path).flatMap(({ rows }) => rows.flatMap(asKnown));
    const mistaken = lostNow.filter(({ source }) => source.file === file.path).map(({ name }) => name);
    const kept = (before[file.path] ?? []).filter(({ name }) => mistaken.includes(name));
    if (guards.length + kept.length > 0) files[file.path] = [...guards, ...kept];
    else delete files[file.path];
  }
  if (JSON.stringify(files) === JSON.stringify(before)) return;
  // Another user who may write there could change this list; a directory is not created here.
  if (lookAtDirectoryNow(join(home, '.hookwright'), 'private') !== 'usable') return;
  await writeOwnFile(knownGuardsFile(home), `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`, 0o600).catch(
    () => undefined,
  );
};
