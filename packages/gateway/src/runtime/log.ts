import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';

export type Log = Logger;

/**
 * The process's log: one JSON object a line, on standard error so that standard output stays for what was asked. Nobody
 * hands it a token, a password or a text; the names under which one could slip in are cut all the same.
 */
export function makeLog(level: string, to: DestinationStream = pino.destination({ fd: 2, sync: true })): Log {
  return pino(
    {
      level,
      base: null,
      formatters: { level: (label) => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretPaths, remove: true },
    },
    to,
  );
}

const secretNames = ['auth', 'token', 'password', 'text', 'authorization', 'query', 'url', 'short_message'];
const secretPaths = secretNames.flatMap((name) => [name, `*.${name}`]);
