import { randomBytes } from 'node:crypto';

/**
 * Makes the request ids for answers and the log. An id is a counter after a random prefix, which changes with each start of the
 * gateway. Request ids must be unique, but need not be secret.
 */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
