/** Something that must not outlive this process. */
export interface Dependent {
  /** Ends it at once and before returning. */
  endNow(): void;
}

const dependents = new Set<Dependent>();

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

const endAll = (): void => {
  for (const dependent of dependents) dependent.endNow();
};

let finishing = 0;

/**
 * From now on a signal that the host listens for itself leaves hooks alone: it lets them finish, and ends the process when it
 * is done. Returns what takes it back.
 */
export const finishOnSignal = (): (() => void) => {
  finishing += 1;
  let isBack = false;
  return () => {
    if (!isBack) finishing -= 1;
    isBack = true;
  };
};

/**
 * A listener for a signal keeps Node from dying of it, so ours ends our processes, steps aside and leaves the rest to
 * the other listeners; without any, the signal is sent again and does what it would have done without us.
 */
const onSignal = (signal: NodeJS.Signals): void => {
  if (finishing > 0 && process.listenerCount(signal) > 1) return;
  endAll();
  process.removeListener(signal, onSignal);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  else setImmediate(listenAgain, signal).unref();
};

const listenAgain = (signal: NodeJS.Signals): void => {
  if (dependents.size > 0 && !process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
};

/** From now on `dependent` ends when the host does: by `process.exit`, an uncaught error or a signal that can be heard. */
export const endWithHost = (dependent: Dependent): void => {
  if (dependents.size === 0) {
    process.prependListener('exit', endAll);
    // In front, because a listener that is called once is no longer counted after it was called.
    for (const signal of signals) process.prependListener(signal, onSignal);
  }
  dependents.add(dependent);
};

/** Takes it back. The last one out removes the listeners, so that an idle engine leaves no trace in its host. */
export const outlivesHost = (dependent: Dependent): void => {
  if (!dependents.delete(dependent) || dependents.size > 0) return;
  process.removeListener('exit', endAll);
  for (const signal of signals) process.removeListener(signal, onSignal);
};
