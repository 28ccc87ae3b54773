/**
 * Calls back after the loop has had two full turns. A timer that fires late, because something held the loop, fires
 * before events that are already waiting; what finished in time must be seen before it is called late.
 */
export const afterSettling = (callback: () => void): void => {
  setImmediate(() => setImmediate(callback));
};
