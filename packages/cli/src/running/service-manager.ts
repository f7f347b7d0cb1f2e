import { execFile } from 'node:child_process';
import type { Environment } from '@morsel/gateway/config.ts';
import { machineClock } from '@morsel/gateway/runtime/clock.ts';
import { Loop } from '@morsel/gateway/runtime/loop.ts';

/*
 * Notifies systemd when the gateway is ready, stops and is alive (sd_notify(3)). Node has no datagram sockets of Unix,
 * so systemd-notify sends the messages. The unit needs NotifyAccess=all, because they come from a child process.
 */

export interface ServiceManager extends AsyncDisposable {
  ready(): Promise<void>;
  stopping(): Promise<void>;
}

const program = 'systemd-notify';
/** The time limit of a message. systemd answers at once, so a slower message is given up, and the next one is tried. */
const sendMaxMs = 5_000;
/** The unit's WatchdogSec is divided by this number: one lost message does no harm. */
const messagesInWatchdog = 3;

/** Does nothing if the environment names no service manager. */
export function serviceManager(
  environment: Environment,
  warn: (line: string) => void,
  pid: number = process.pid,
): ServiceManager {
  const socket = environment['NOTIFY_SOCKET'] ?? '';
  const send = (...words: readonly string[]) => (socket === '' ? Promise.resolve() : notify(environment, words, warn));
  const watchdogMs = socket === '' ? 0 : watchdogOf(environment, pid);
  let watchdog: Loop | undefined;
  return {
    async ready() {
      await send('--ready');
      if (watchdogMs === 0) return;
      watchdog = new Loop({
        clock: machineClock,
        log: { error: (_fields, message) => warn(message) },
        name: 'watchdog of systemd',
        everyMs: watchdogMs / messagesInWatchdog,
        turn: () => send('WATCHDOG=1'),
      });
    },
    stopping: () => send('STOPPING=1'),
    async [Symbol.asyncDispose]() {
      await watchdog?.stop();
    },
  };
}

/**
 * The watchdog's time in milliseconds; 0 if there is none, or if it is for another process (sd_watchdog_enabled(3)).
 */
function watchdogOf(environment: Environment, pid: number): number {
  const forPid = environment['WATCHDOG_PID'] ?? String(pid);
  const micros = Number(environment['WATCHDOG_USEC'] ?? 0);
  return forPid === String(pid) && micros > 0 ? micros / 1_000 : 0;
}

/**
 * Sends a message. A message that cannot be sent must not stop a working gateway; if systemd misses the message, it
 * restarts the gateway.
 */
function notify(environment: Environment, words: readonly string[], warn: (line: string) => void): Promise<void> {
  const { PATH, NOTIFY_SOCKET } = environment;
  return new Promise((resolve) => {
    execFile(program, words, { env: { PATH, NOTIFY_SOCKET }, timeout: sendMaxMs }, (fault) => {
      if (fault)
        warn(`systemd was not told ${words.join(' ')}: ${program} failed (${fault.code ?? fault.signal ?? ''})`);
      resolve();
    });
  });
}
