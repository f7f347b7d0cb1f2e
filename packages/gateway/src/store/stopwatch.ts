/** Milliseconds of a clock that nobody can set. The threads of the store have no access to the clock of the process. */
export function stopwatchMs(): number {
  return performance.now();
}
