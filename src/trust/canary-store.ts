/** Stores the outcomes of canaries next to the approvals, by project and guard. */

import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { describeThrown, once } from '../kit/index.ts';
import { checkDirectoryNow, readPrivateJson, writePrivateFile } from '../kit/node.ts';
import type { HookConfig } from '../protocol/index.ts';
import {
  type CanaryLoss,
  type CanaryPast,
  type CanaryRecord,
  type ConfiguredHook,
  canaryStages,
} from '../registry/index.ts';
import type { TrustPlace } from './approval-check.ts';
import { hookSubject } from './hook-subject.ts';
import { whyNotCovered } from './scripts/coverage.ts';
import { FileStateReader } from './scripts/look-at-files.ts';
import { withLockFile } from './store/trust-store.ts';
import { approvalHash } from './subject.ts';

export interface CanaryStoreOptions extends TrustPlace {
  /** Called if the outcomes cannot be read or written; the canaries then run again. */
  readonly onTrouble: (message: string) => void;
}

export const canaryStore = (options: CanaryStoreOptions): CanaryRecord => {
  const { home, projectDir, onTrouble } = options;
  const directory = join(home, '.hookwright');
  const path = join(directory, 'canaries.json');
  const all = (): Projects | undefined => {
    const { value, missing, trouble } = readPrivateJson(path, { maxBytes: MAX_BYTES, private: true });
    if (missing) return {};
    const kept = schema().safeParse(value);
    if (kept.success) return kept.data.projects;
    const why = trouble ?? `${path} is not as this version writes it`;
    onTrouble(`It cannot be told which canaries were lost before: ${why}; remove it, then: hookwright doctor`);
    return undefined;
  };
  const read: CanaryRecord['read'] = async (hooks) => {
    const projects = all();
    if (projects === undefined) return 'unreadable';
    const kept = new Map(Object.entries(projects[projectDir] ?? {}));
    const look = new FileStateReader();
    const past = new Map<string, CanaryPast>();
    for (const hook of hooks) {
      const entry = kept.get(hook.hookId);
      if (entry === undefined) continue;
      const state = await stateOf(hook, options, look);
      const isUnchanged = state !== undefined && state.digest === entry.digest;
      past.set(hook.hookId, { loss: entry.loss, isUnchanged, isCovered: state?.isCovered === true });
    }
    return past;
  };
  const keep: CanaryRecord['keep'] = async (outcomes) => {
    const look = new FileStateReader();
    const entries: Record<string, Entry> = {};
    for (const [hook, loss] of outcomes) {
      const digest = (await stateOf(hook, options, look))?.digest;
      if (digest !== undefined) entries[hook.hookId] = { digest, ...(loss === undefined ? {} : { loss }) };
    }
    // An unreadable record is not overwritten: it may contain other projects.
    const isKept = (): boolean => {
      const projects = all();
      if (projects === undefined) return true;
      const before = projects[projectDir] ?? {};
      return Object.entries(entries).every(([id, entry]) => JSON.stringify(before[id]) === JSON.stringify(entry));
    };
    // Another user with write access could change the record. The directory is not created here.
    if (isKept() || checkDirectoryNow(directory, 'private') !== 'usable') return;
    try {
      await withLockFile(`${path}.lock`, PATIENCE_MS, async () => {
        const { [projectDir]: before, ...others } = all() ?? {};
        const kept = Object.entries(others).slice(-MAX_PROJECTS);
        const projects = Object.fromEntries([...kept, [projectDir, { ...before, ...entries }]]);
        await writePrivateFile(path, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`, 0o600);
      });
    } catch (error) {
      onTrouble(`What canaries came to is not kept: ${describeThrown(error)}`);
    }
  };
  return { read, keep };
};

/** Short, because the start of a session waits for it. */
const PATIENCE_MS = 300;

const MAX_BYTES = 4_194_304;
const MAX_PROJECTS = 200;

interface Entry {
  readonly digest: string;
  readonly loss?: CanaryLoss | undefined;
}

const schema = once(() =>
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

type Projects = z.infer<ReturnType<typeof schema>>['projects'];

/** Only these hooks are fully described by their entry and files; others are code or answered by a server. */
const recordable: ReadonlySet<HookConfig['type']> = new Set([undefined, 'command', 'rule']);

const stateOf = async (
  { config, ...hook }: ConfiguredHook,
  place: TrustPlace,
  look: FileStateReader,
): Promise<{ readonly digest: string; readonly isCovered: boolean } | undefined> => {
  if (config === undefined || !recordable.has(config.type)) return undefined;
  const subject = hookSubject({ ...hook, config }, place);
  const script = subject.files.find(({ runs }) => runs);
  // A user's hook may have its script outside the project.
  const roots = [
    ...subject.roots,
    ...(script === undefined ? [] : [{ label: 'beside', directory: dirname(script.path) }]),
  ];
  const whole = { ...subject, roots };
  const digest = approvalHash(subject.content, await look.statesOf(subject.files, roots));
  return { digest, isCovered: config.type === 'rule' || (await whyNotCovered(whole, look)).length === 0 };
};
