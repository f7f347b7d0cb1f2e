import type { ChildProcess } from 'node:child_process';

/**
 * Ends a child with this process, however this process ends: normally, by an uncaught exception, or by a signal that
 * `exitOnSignals` handles. The child survives only a SIGKILL of this process.
 */
export function endsWithUs<C extends ChildProcess>(child: C): C {
  const kill = (): void => void child.kill('SIGKILL');
  // The child ends before other exit handlers remove folders, so that no child still writes into them.
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** The signals that end a program from a terminal or a test run, and their numbers. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** From now on a signal ends this process by `exit`, so that exit handlers run. The status is that of shells. */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries(signals)) process.once(signal, () => process.exit(128 + number));
}
