import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { dayMs } from '@morsel/api/values/time.ts';
import { gateway } from '../../../../test/support/gateway/admin-api.ts';
import { done } from '../../../../test/support/done.ts';
import { operatorCalls } from '../handlers.ts';
import { SignInLinks } from './links.ts';

const password = 'correct horse battery';

/** Opens a link, with a name of one's choice if it is that of the first owner. */
async function open(link: string, operator?: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const { status } = await fetch(`${origin}/console/link`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ link: hash.slice(1), password, operator }),
  });
  return status;
}

it('the link of the first owner lives until an owner can sign in, and each start makes one', async () => {
  const { operator, operatorKey } = operatorCalls(gateway.operator);
  const earlier = await gateway.consoleUrl();
  done(await operator.add({ operator: 'sam', role: 'viewer' }));
  assert.equal(await open(done(await operator.signInLink({ operator: 'sam' })).link), 204);
  done(await operator.add({ operator: 'jane', role: 'owner' }));
  done(await operatorKey.add({ operator: 'jane' }));
  assert.match(await gateway.consoleUrl(), /#/, 'jane has a key only');
  assert.equal(await open(earlier, 'paula'), 401, 'the newest link counts');
  const link = await gateway.consoleUrl();
  assert.equal(await open(link, 'sam'), 409, 'a viewer does not become an owner');
  assert.equal(await open(link, 'jane'), 204, 'an owner without a password may have it');
  assert.equal(await open(link, 'paula'), 401);
  assert.doesNotMatch(await gateway.consoleUrl(), /#/);
});

it('a link of the first owner is over when an owner can sign in by another way', async () => {
  const { operator } = operatorCalls(gateway.operator);
  done(await operator.remove({ operator: 'jane' }));
  const link = await gateway.consoleUrl();
  assert.match(link, /#/, 'no owner can sign in again');
  done(await operator.add({ operator: 'paula', role: 'owner' }));
  assert.equal(await open(done(await operator.signInLink({ operator: 'paula' })).link), 204);
  assert.equal(await open(link, 'mallory'), 401);
});

it('neither days nor other links end the link of the first owner', () => {
  const links = new SignInLinks(randomBytes);
  const [, secret = ''] = links.make(null, 0).split('#');
  for (let at = 0; at < 150; at += 1) links.make(`operator-${at}`, at);
  assert.equal(links.take(secret, 30 * dayMs)?.operator, null);
});
