import type { ChildProcess } from 'node:child_process';

/**
 * Has a child end with this process, whichever way that goes: by its end, an exception that nobody caught, or a signal
 * that `exitOnSignals` takes. Only SIGKILL leaves it behind.
 */
export function endsWithUs<C extends ChildProcess>(child: C): C {
  const kill = (): void => void child.kill('SIGKILL');
  // Before what else is done at the exit: folders are removed when nobody writes into them.
  process.prependOnceListener('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/** The signals that a person, a terminal or a test run ends a program with, and their numbers. */
const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** A signal ends this process by `exit`, so that what is to be done then is done; with the status that shells give it. */
export function exitOnSignals(): void {
  for (const [signal, number] of Object.entries(signals)) process.once(signal, () => process.exit(128 + number));
}
