import { pino, type DestinationStream, type Logger } from 'pino';

export type Log = Logger;

/**
 * The log of the process: one JSON object on each line of standard error. Standard output is for the answers of
 * commands. No code may log a token, a password or a message text. As a second protection, fields with such names are
 * removed.
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
