/** A shell's status for a process that a signal ended is 128 plus the signal's number (POSIX; SIGINT is 2). */
const killedStatus = 130;

/** A signal soon after the first is the same one: npm passes a Ctrl-C on that its child got from the terminal, too. */
const sameMs = 500;

/**
 * Handles SIGTERM and SIGINT from now on. Resolves at the first of them, for an orderly stop (P2). The second ends the
 * process at once: unanswered requests are then in doubt, as after a crash.
 */
export function stopSignals(): Promise<void> {
  return new Promise((resolve) => {
    let signaledAtMs: number | undefined;
    const hear = () => {
      if (signaledAtMs === undefined) {
        signaledAtMs = performance.now();
        resolve();
      } else if (performance.now() - signaledAtMs >= sameMs) process.exit(killedStatus);
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
  });
}
