import { randomBytes } from 'node:crypto';

/** An id is a random prefix, which changes with each start, and a counter. Ids are unique, but need not be secret. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
