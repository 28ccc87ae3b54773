let current: string | undefined;

/** Runs what starts the hooks of an event; they are told the trace they belong to. */
export const withTraceParent = <T>(traceParent: string | undefined, run: () => T): T => {
  if (traceParent === current) return run();
  const outside = current;
  current = traceParent;
  try {
    return run();
  } finally {
    current = outside;
  }
};

/** The trace that the hooks belong to which are being started right now. */
export const traceParentNow = (): string | undefined => current;
