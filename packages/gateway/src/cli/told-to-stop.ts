/** What a shell says of a process that a signal ended is 128 and the signal's number (POSIX; SIGINT is 2). */
const killedStatus = 130;

/**
 * Hears SIGTERM and SIGINT from now on; resolves at the first of them, for an orderly stop (P2). The second ends the
 * process at once: what has no answer by then is in doubt, as after a crash.
 */
export function toldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let isTold = false;
    const hear = () => {
      if (isTold) process.exit(killedStatus);
      isTold = true;
      resolve();
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
  });
}
