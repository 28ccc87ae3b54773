export interface ProcessWarning {
  readonly code: unknown;
  readonly message: string;
}

/** The warnings of the process that come while something is done. */
export const processWarningsOf = async (work: () => Promise<unknown>): Promise<ProcessWarning[]> => {
  const found: ProcessWarning[] = [];
  const hear = (warning: Error): void => {
    found.push({ code: Reflect.get(warning, 'code'), message: warning.message });
  };
  // Warnings of what was done before come in the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.on('warning', hear);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  return found;
};
