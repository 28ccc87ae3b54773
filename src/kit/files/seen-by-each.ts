import { readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';

/** Links in here (`/proc/self/cwd`, `/dev/fd/3`) lead every process that follows them elsewhere. */
const OF_EACH_PROCESS = /^\/(?:proc|dev)(?:\/|$)/;

/** As many links as Linux follows. */
const MAX_LINKS = 40;

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

const leavesThroughParent = (path: string): boolean => path.split(sep).includes('..');

/**
 * Whether the way along an absolute path comes through what each process sees otherwise, so that looking at it says nothing about
 * what another process would open. `realPath` is where it leads this one.
 */
export const isSeenByEachAlone = (path: string, realPath: string): boolean => {
  if (normalize(path) === realPath && !leavesThroughParent(path)) return OF_EACH_PROCESS.test(realPath);
  const left = path.split(sep);
  let at: string = sep;
  let links = 0;
  for (let part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    if (OF_EACH_PROCESS.test(next)) return true;
    const target = linkAt(next);
    if (target === undefined) {
      at = next;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return true;
    left.unshift(...target.split(sep));
    if (isAbsolute(target)) at = sep;
  }
  return false;
};
