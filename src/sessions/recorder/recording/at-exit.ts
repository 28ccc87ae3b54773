const waiting = new Set<() => void>();

const runAll = (): void => {
  for (const callback of waiting) callback();
};

/** Runs when the process ends by itself or by `process.exit`. One listener for all: Node warns of more than ten. */
export const atExit = (callback: () => void): (() => void) => {
  if (waiting.size === 0) process.on('exit', runAll);
  waiting.add(callback);
  return () => {
    if (waiting.delete(callback) && waiting.size === 0) process.removeListener('exit', runAll);
  };
};
