import type { ChildProcess } from 'node:child_process';

/**
 * Ends a child with this process, however this process ends: normally, by an uncaught exception, or by a signal that
 * `exitOnSignals` handles. The child survives only a SIGKILL of this process.
 */
export function endsWithUs<C extends ChildProcess>(child: C): C {
  const kill = (): void => void child.kill('SIGKILL');
  // Before other exit handlers: folders are removed when no child writes into them.
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** The signals that end a program from a terminal or a test run, and their numbers. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A signal ends this process by `exit`, so that exit handlers run; with the status that shells use. */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries(signals)) process.once(signal, () => process.exit(128 + number));
}
