/** Stores the outcomes of canaries (test runs of guards) beside the user's approvals, by project and guard. */

import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { describeThrown, omitUndefined, once } from '../kit/index.ts';
import { checkDirectoryNow, readPrivateJson, writePrivateFile } from '../kit/node.ts';
import type { HookConfig } from '../protocol/index.ts';
import { type CanaryRecord, type ConfiguredHook, canaryStages, type EarlierCanaryResult } from '../registry/index.ts';
import type { TrustScope } from './approval-check.ts';
import { describeHookSubject } from './hook-subject.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/file-state-reader.ts';
import { withLockFile } from './store/trust-store.ts';
import { hashApprovedVersion } from './subject.ts';

export const createCanaryStore = (scope: TrustScope, onTrouble: (message: string) => void): CanaryRecord => {
  const { home, projectDir } = scope;
  const directory = join(home, '.hookwright');
  const path = join(directory, 'canaries.json');
  const readProjects = (): CanariesByProject | undefined => {
    const { value, missing, trouble } = readPrivateJson(path, { maxBytes: MAX_CANARY_FILE_BYTES, private: true });
    if (missing) return {};
    const kept = canaryFileSchema().safeParse(value);
    if (kept.success) return kept.data.projects;
    const why = trouble ?? `${path} is not as this version writes it`;
    onTrouble(`It cannot be told which canaries were lost before: ${why}; remove it, then: hookwright doctor`);
    return undefined;
  };
  const read: CanaryRecord['read'] = async (hooks) => {
    const projects = readProjects();
    if (projects === undefined) return 'unreadable';
    const kept = new Map(Object.entries(projects[projectDir] ?? {}));
    const look = new FileStateReader();
    const past = new Map<string, EarlierCanaryResult>();
    for (const hook of hooks) {
      const entry = kept.get(hook.hookId);
      if (entry === undefined) continue;
      const state = await digestHook(hook, scope, look);
      const isUnchanged = state !== undefined && state.digest === entry.digest;
      past.set(hook.hookId, { loss: entry.loss, isUnchanged, isCovered: state?.isCovered === true });
    }
    return past;
  };
  const keep: CanaryRecord['keep'] = async (outcomes) => {
    const look = new FileStateReader();
    const entries: CanariesByProject[string] = {};
    for (const [hook, loss] of outcomes) {
      const digest = (await digestHook(hook, scope, look))?.digest;
      if (digest !== undefined) entries[hook.hookId] = omitUndefined({ digest, loss });
    }
    // A record that cannot be read is not overwritten: it may hold the outcomes of other projects.
    const isKept = (): boolean => {
      const projects = readProjects();
      if (projects === undefined) return true;
      const before = projects[projectDir] ?? {};
      return Object.entries(entries).every(([id, entry]) => JSON.stringify(before[id]) === JSON.stringify(entry));
    };
    // A record is not written into a directory that another user can write.
    if (isKept() || checkDirectoryNow(directory, 'private') !== 'usable') return;
    try {
      await withLockFile(`${path}.lock`, MAX_LOCK_WAIT_MS, async () => {
        const { [projectDir]: before, ...others } = readProjects() ?? {};
        const kept = Object.entries(others).slice(-MAX_OTHER_PROJECTS);
        const projects = Object.fromEntries([...kept, [projectDir, { ...before, ...entries }]]);
        await writePrivateFile(path, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`, 0o600);
      });
    } catch (error) {
      onTrouble(`What canaries came to is not kept: ${describeThrown(error)}`);
    }
  };
  return { read, keep };
};

const MAX_LOCK_WAIT_MS = 300;

const MAX_CANARY_FILE_BYTES = 4_194_304;
const MAX_OTHER_PROJECTS = 200;

const canaryFileSchema = once(() =>
  z.object({
    version: z.literal(1),
    projects: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          digest: z.string(),
          loss: z.optional(z.object({ stage: z.enum(canaryStages), message: z.string() })),
        }),
      ),
    ),
  }),
);

type CanariesByProject = z.infer<ReturnType<typeof canaryFileSchema>>['projects'];

/** Hooks of other types depend on code or a server, which the digest does not cover. */
const hookTypesWithDigest: ReadonlySet<HookConfig['type']> = new Set([undefined, 'command', 'rule']);

const digestHook = async (
  { config, ...hook }: ConfiguredHook,
  place: TrustScope,
  look: FileStateReader,
): Promise<{ readonly digest: string; readonly isCovered: boolean } | undefined> => {
  if (config === undefined || !hookTypesWithDigest.has(config.type)) return undefined;
  const subject = describeHookSubject({ ...hook, config }, place);
  const script = subject.files.find(({ runs }) => runs);
  // The script of a hook in the user's settings may be outside the project.
  const roots = [
    ...subject.roots,
    ...(script === undefined ? [] : [{ label: 'beside', directory: dirname(script.path) }]),
  ];
  const whole = { ...subject, roots };
  const digest = hashApprovedVersion(subject.content, await look.statesOf(subject.files, roots));
  return { digest, isCovered: config.type === 'rule' || (await whyNotCovered(whole, look)).length === 0 };
};
