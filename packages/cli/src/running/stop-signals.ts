/** The exit status after a second signal: 128 plus 2, the number of SIGINT, as in shells (POSIX). */
const killedStatus = 130;

/** A second signal within this time counts as the first. After Ctrl-C, the terminal and npm each send a signal. */
const sameMs = 500;

/**
 * Waits for SIGTERM or SIGINT. Resolves at the first signal, for an orderly stop (P2). A second signal ends the process
 * at once, and unanswered parts are then in doubt.
 */
export function stopSignals(): Promise<void> {
  return new Promise((resolve) => {
    let signaledAtMs: number | undefined;
    const onSignal = () => {
      if (signaledAtMs === undefined) {
        signaledAtMs = performance.now();
        resolve();
      } else if (performance.now() - signaledAtMs >= sameMs) process.exit(killedStatus);
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}
