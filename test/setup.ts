/**
 * A warning of the process (MaxListenersExceededWarning, a deprecated call) is a bug of ours and fails the run: what is
 * thrown here is an unhandled error to vitest. Node's notices about its own experiments are not ours.
 */
process.on('warning', (warning) => {
  if (warning.name !== 'ExperimentalWarning') throw warning;
});
