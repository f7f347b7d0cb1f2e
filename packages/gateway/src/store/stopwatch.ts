/** Milliseconds of a clock that nobody can set. The threads of the store do not have the clock of the process. */
export function stopwatchMs(): number {
  return performance.now();
}
