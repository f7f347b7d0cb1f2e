import { randomBytes } from 'node:crypto';

/** A counter after a random prefix, which changes with each start. Ids must be unique, but need not be secret. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${prefix}-${(++count).toString(36)}`;
}
