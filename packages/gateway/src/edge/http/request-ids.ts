import { randomBytes } from 'node:crypto';

/**
 * Makes ids of requests, for answers and the log: a random prefix for this run of this process, and a counter. They must be
 * distinct, but not secret.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
