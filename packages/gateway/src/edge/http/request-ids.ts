import { randomBytes } from 'node:crypto';

/**
 * Names for requests, in answers and in the log: a counter behind a prefix that another start of the process or another
 * node does not have. They need to be distinct, not secret, so a counter does.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
