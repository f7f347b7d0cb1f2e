/** What a shell says of a process that a signal ended is 128 and the signal's number (POSIX; SIGINT is 2). */
const killedStatus = 130;

/**
 * Waits for SIGTERM or SIGINT and stops then, in order (P2). A second signal ends the process at once: whatever had no
 * answer by then is in doubt, as after a crash.
 */
export async function untilStopped(stop: () => Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    let isTold = false;
    const hear = () => {
      if (isTold) process.exit(killedStatus);
      isTold = true;
      resolve();
    };
    process.on('SIGTERM', hear);
    process.on('SIGINT', hear);
  });
  await stop();
}
