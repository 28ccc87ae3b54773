/** Unlike that of any other process, or thread. */
let own: string | undefined;
let runs = 0;

/** An id for one run. Short, because the orphan guard reads every letter of it. */
export const newRunId = (): string => {
  own ??= crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  runs += 1;
  return `${own}-${runs.toString(36)}`;
};
