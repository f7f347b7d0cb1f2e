import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, it } from 'node:test';
import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import { adminBase } from '@morsel/api/admin/client.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { clock, gateway, key as builtIn } from '../../../../test/support/gateway/admin-api.ts';
import { done } from '../../../../test/support/done.ts';
import { base32Of, codeAt, codeSecretBytes } from '../../../core/account/one-time-code.ts';
import { operatorCalls } from '../handlers.ts';
import { SignInLinks } from './links.ts';

const password = 'correct horse battery';

/** Each refused sign-in delays the next one. After 16 minutes the gateway has forgotten the refusals. */
const forget = () => clock.advance(16 * minuteMs);
beforeEach(forget);

function ask(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const base = `http://localhost:${gateway.adminPort}`;
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { origin: base, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

/** Adds an operator, and signs the operator in with a link. Returns the session cookie. */
async function signIn(operator: string): Promise<string> {
  const calls = operatorCalls(gateway.operator);
  done(await calls.operator.add({ operator, role: 'operator' }));
  return signInAgain(operator);
}

async function signInAgain(operator: string): Promise<string> {
  const { link } = done(await operatorCalls(gateway.operator).operator.signInLink({ operator }));
  const answer = await ask('/console/link', { link: link.replace(/^.*#/, ''), password });
  assert.equal(answer.status, 204);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Calls an operation as a page does, with the cookie of a session. */
async function change(cookie: string, path: string, body: object): Promise<string> {
  const answer = await ask(`${adminBase}${path}`, body, { cookie });
  return `${answer.status} ${await answer.text()}`;
}

/** The operations, called by an operator. */
function callsAs(name: string) {
  const { operator } = gateway;
  return operatorCalls({ ...operator, caller: { ...operator.caller, name } });
}

/** A secret of one-time codes, and its codes: `steps` of half a minute from now. */
function codesOf(seed: number) {
  const secret = Buffer.alloc(codeSecretBytes, seed);
  const codeIn = (steps: number) => codeAt(secret, Math.floor(gateway.operator.clock.now() / 30_000) + steps);
  return { secret: base32Of(secret), codeIn };
}

async function statusOf(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { status } = await fetch(`http://localhost:${gateway.adminPort}${adminBase}${path}`, { headers });
  return status;
}

/** Opens a link. `operator` is the chosen name, if the link is the first owner's link. */
async function openFirst(link: string, operator?: string): Promise<number> {
  const { origin, hash } = new URL(link);
  const { status } = await fetch(`${origin}/console/link`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ link: hash.slice(1), password, operator }),
  });
  return status;
}

it('the link of the first owner works until an owner can sign in, and each start makes a new link', async () => {
  const { operator, operatorKey } = operatorCalls(gateway.operator);
  const earlier = await gateway.consoleUrl();
  done(await operator.add({ operator: 'sam', role: 'viewer' }));
  assert.equal(await openFirst(done(await operator.signInLink({ operator: 'sam' })).link), 204);
  done(await operator.add({ operator: 'jane', role: 'owner' }));
  done(await operatorKey.add({ operator: 'jane' }));
  assert.match(await gateway.consoleUrl(), /#/, 'jane has a key only');
  assert.equal(await openFirst(earlier, 'paula'), 401, 'the newest link counts');
  const link = await gateway.consoleUrl();
  assert.equal(await openFirst(link, 'sam'), 409, 'a viewer does not become an owner');
  assert.equal(await openFirst(link, 'jane'), 204, 'an owner without a password may have it');
  assert.equal(await openFirst(link, 'paula'), 401);
  assert.doesNotMatch(await gateway.consoleUrl(), /#/);
});

it('a link of the first owner stops to work when an owner can sign in without the link', async () => {
  const { operator } = operatorCalls(gateway.operator);
  done(await operator.remove({ operator: 'jane' }));
  const link = await gateway.consoleUrl();
  assert.match(link, /#/, 'no owner can sign in again');
  done(await operator.add({ operator: 'paula', role: 'owner' }));
  assert.equal(await openFirst(done(await operator.signInLink({ operator: 'paula' })).link), 204);
  assert.equal(await openFirst(link, 'mallory'), 401);
});

it('the link of the first owner still works after days and after many other links', () => {
  const links = new SignInLinks(randomBytes);
  const [, secret = ''] = links.make(null, 0).split('#');
  for (let at = 0; at < 150; at += 1) links.make(`operator-${at}`, at);
  assert.equal(links.take(secret, 30 * dayMs)?.operator, null);
});

it('a link of a removed operator does not work for a later operator with the same name', async () => {
  const { operator } = operatorCalls(gateway.operator);
  done(await operator.add({ operator: 'namesake', role: 'viewer' }));
  const link = done(await operator.signInLink({ operator: 'namesake' })).link.replace(/^.*#/, '');
  done(await operator.remove({ operator: 'namesake' }));
  done(await operator.add({ operator: 'namesake', role: 'owner' }));
  assert.equal((await ask('/console/link', { link, password })).status, 401);
});

it('a link works once, and of several links of an operator only the newest one works', async () => {
  const { operator } = operatorCalls(gateway.operator);
  done(await operator.add({ operator: 'link', role: 'viewer' }));
  const make = async () => done(await operator.signInLink({ operator: 'link' })).link.replace(/^.*#/, '');
  const [first, second] = [await make(), await make()];
  assert.equal((await ask('/console/link', { link: first, password })).status, 401);
  const short = await ask('/console/link', { link: second, password: 'too short' });
  assert.equal(short.status, 400);
  assert.match(await short.text(), /"field":"password"/);
  assert.equal((await ask('/console/link', { link: second, password })).status, 204);
  assert.equal((await ask('/console/link', { link: second, password })).status, 401);
});

it('the error of a refused sign-in names the operator and the password, or the link', async () => {
  for (const body of [{}, [], { operator: 'A B', password }, { operator: 'nobody', password: 7 }]) {
    forget();
    const text = await (await ask('/console/sign-in', body)).text();
    assert.match(text, /"detail":"the operator or the password is missing or wrong"/);
    assert.doesNotMatch(text, /token/i);
  }
  forget();
  const text = await (await ask('/console/link', { link: 'x', password })).text();
  assert.match(text, /"detail":"the link is unknown, was used before or has expired"/);
  assert.doesNotMatch(text, /token/i);
});

it('a session key works only in the cookie, and an operator key does not work in the cookie', async () => {
  const cookie = await signIn('cookie');
  const name = `__Host-morsel-${gateway.adminPort}`;
  assert.ok(cookie.startsWith(`${name}=morselop_`), 'browsers share cookies over the ports of a host');
  assert.equal(await statusOf('/whoami', { cookie }), 200);
  const text = cookie.replace(/^.*=/, '');
  assert.equal(await statusOf('/whoami', { authorization: `Bearer ${text}` }), 401);
  const key = done(await operatorCalls(gateway.operator).operatorKey.add({ operator: 'cookie' })).key;
  assert.equal(await statusOf('/whoami', { authorization: `Bearer ${key}` }), 200);
  assert.equal(await statusOf('/whoami', { cookie: `${name}=${key}` }), 401);
  assert.equal(await statusOf('/whoami', { cookie: `__Host-morsel=${text}; __Host-morsel-1=${text}` }), 401);
  assert.equal(await statusOf('/whoami', { cookie: `__Host-morsel-1=other; ${cookie}` }), 200);
});

it('only a sign-out ends the session, and only if a page of the console sends it', async () => {
  const cookie = await signIn('leaving');
  const base = `http://localhost:${gateway.adminPort}`;
  const signOut = (headers: Readonly<Record<string, string>>) =>
    fetch(`${base}/console/sign-out`, { method: 'POST', headers: { cookie, ...headers } });
  assert.equal((await signOut({})).status, 403, 'without Origin');
  assert.equal((await signOut({ origin: 'https://evil.example' })).status, 403, 'of another place');
  assert.equal(await statusOf('/whoami', { cookie }), 200);
  const left = await signOut({ origin: base });
  assert.equal(left.status, 204);
  assert.match(left.headers.get('set-cookie') ?? '', /^__Host-morsel-\d+=; .*Max-Age=0;/);
  assert.equal(await statusOf('/whoami', { cookie }), 401);
  assert.equal((await signOut({ origin: base })).status, 204, 'nothing is left to end');
  const [entry] = done(await operatorCalls(gateway.operator).audit.list({ operation: 'operatorKey.end' })).items;
  assert.deepEqual([entry?.operator, entry?.address], ['leaving', '127.0.0.1']);
});

it('sessions end when the operator gets a new password or is removed', async () => {
  const first = await signIn('ending');
  const second = await signInAgain('ending');
  assert.equal(await statusOf('/whoami', { cookie: first }), 401, 'the link has set a password');
  assert.equal(await statusOf('/whoami', { cookie: second }), 200);
  done(await operatorCalls(gateway.operator).operator.remove({ operator: 'ending' }));
  assert.equal(await statusOf('/whoami', { cookie: second }), 401);
  assert.equal((await ask('/console/sign-in', { operator: 'ending', password })).status, 401);
});

it('an operator may end its own sessions, and no sessions of others', async () => {
  const cookie = await signIn('own');
  const [session] = done(await callsAs('own').operatorKey.sessions({})).items;
  assert.ok(session);
  assert.equal((await callsAs('other').operatorKey.end({ id: session.id })).ok, false);
  done(await callsAs('own').operatorKey.end({ id: session.id }));
  assert.equal(await statusOf('/whoami', { cookie }), 401);
});

it('an operator has at most twenty sessions: a further sign-in ends the oldest one', async () => {
  const first = await signIn('many');
  const answers: number[] = [];
  for (let at = 0; at < 20; at += 1)
    answers.push((await ask('/console/sign-in', { operator: 'many', password })).status);
  assert.ok(answers.every((status) => status === 204));
  assert.equal(await statusOf('/whoami', { cookie: first }), 401);
  const { items } = done(await operatorCalls(gateway.operator).operatorKey.list({ operator: 'many' }));
  assert.equal(items.filter(({ kind, revokedAt }) => kind === 'session' && revokedAt === null).length, 20);
});

it('with one-time codes, a password alone is not enough, and each code works once', async () => {
  await signIn('coded');
  const { operator } = callsAs('coded');
  const { secret, codeIn } = codesOf(9);
  assert.equal((await operator.codes({ presentPassword: password, secret, code: '000000' })).ok, false);
  done(await operator.codes({ presentPassword: password, secret, code: codeIn(-1) }));
  const { list } = operatorCalls(gateway.operator).operator;
  const codesIn = async () => done(await list({})).items.find((each) => each.operator === 'coded')?.codes;
  assert.equal(await codesIn(), 'on');
  const right = codeIn(0);
  assert.deepEqual(
    [await signsIn(), await signsIn('123456'), await signsIn(right), await signsIn(right)],
    [400, 400, 204, 400],
  );
  done(await operator.withoutCodes({ operator: 'coded' }));
  assert.equal(await codesIn(), 'off');
  assert.equal(await signsIn(), 204);
});

it('after ten wrong codes, sign-ins from all addresses are refused for a quarter of an hour', async () => {
  await signIn('guessed');
  const { secret, codeIn } = codesOf(8);
  done(await callsAs('guessed').operator.codes({ presentPassword: password, secret, code: codeIn(-1) }));
  const { operator, audit, operatorKey } = operatorCalls(gateway.operator);
  const guess = async (code: string) => (await ask('/console/sign-in', { operator: 'guessed', password, code })).text();
  for (let at = 0; at < 10; at += 1) assert.match(await guess(codeIn(-1_000)), /wrong, or was used/);
  assert.match(await guess(codeIn(0)), /too many codes were wrong: wait 15 minutes/);
  const { link } = done(await operator.signInLink({ operator: 'guessed' }));
  assert.equal((await ask('/console/link', { link: link.replace(/^.*#/, ''), password })).status, 204);
  const [entry] = done(await audit.list({ operation: 'operator.password' })).items;
  assert.deepEqual([entry?.operator, entry?.role, entry?.key], ['guessed', 'operator', 'sign-in-link']);
  const [session] = done(await audit.list({ operation: 'operator.signIn' })).items;
  assert.deepEqual([session?.operator, session?.role, session?.address], ['guessed', 'operator', '127.0.0.1']);
  const [key] = done(await operatorKey.list({ operator: 'guessed' })).items;
  assert.equal(session?.key, key?.id);
});

async function signsIn(code?: string): Promise<number> {
  return (await ask('/console/sign-in', { operator: 'coded', password, ...(code !== undefined && { code }) })).status;
}

it('an operator key cannot change how its operator signs in: only a session can', async () => {
  const cookie = await signIn('keyed');
  const { key } = done(await operatorCalls(gateway.operator).operatorKey.add({ operator: 'keyed' }));
  const own = Object.values(resources)
    .flatMap(({ operations }) => Object.values<Operation>(operations))
    .filter(({ path }) => path.startsWith('/whoami/'));
  assert.equal(own.length, 5);
  for (const { method, path } of own) {
    const url = `http://127.0.0.1:${gateway.adminPort}${adminBase}${path.replace('{id}', '4be5ff51d5fb')}`;
    for (const bearer of [key, builtIn]) {
      const refused = await fetch(url, { method, headers: { authorization: `Bearer ${bearer}` } });
      assert.equal(refused.status, 403, path);
      assert.match(await refused.text(), /only a session of the console may do this, and no key/);
    }
  }
  assert.equal(await statusOf('/whoami/sessions', { cookie }), 200);
});

it('a change of password or codes needs the present password and a one-time code', async () => {
  const cookie = await signIn('present');
  const { secret, codeIn } = codesOf(5);
  // A code is taken one step early or late. So both stay right for half a minute, and nothing waits for the next step.
  const nextCode = codeIn(1);
  const codes = { secret, code: codeIn(0) };
  const path = '/whoami/codes/on';
  assert.match(await change(cookie, path, codes), /^400 .*presentPassword is missing/);
  const wrong = { ...codes, presentPassword: 'wrong horse battery' };
  assert.match(await change(cookie, path, wrong), /^400 .*presentPassword must be your present password/);
  assert.match(await change(cookie, path, { ...codes, presentPassword: password }), /^200 /);
  const next = { presentPassword: password, password: 'another horse battery' };
  assert.match(await change(cookie, '/whoami/password', next), /^400 .*"field":"presentCode"/);
  const used = { ...next, presentCode: codes.code };
  assert.match(await change(cookie, '/whoami/password', used), /^400 .*was used before/);
  assert.match(await change(cookie, '/whoami/password', { ...next, presentCode: nextCode }), /^200 /);
  assert.equal(await statusOf('/whoami', { cookie }), 401, 'all sessions end');
  const again = { operator: 'present', password: next.password, code: nextCode };
  assert.equal((await ask('/console/sign-in', again)).status, 400, 'the code was used');
});

it('common passwords are refused, both with a link and in a session', async () => {
  const cookie = await signIn('common');
  const { link } = done(await operatorCalls(gateway.operator).operator.signInLink({ operator: 'common' }));
  const secret = link.replace(/^.*#/, '');
  // `flow/account/operator-password.test.ts` has more of them.
  const common = ['123456789012', 'P@ssw0rd1234', 'commoncommon', 'morselmorsel', 'a'.repeat(200)];
  for (const each of common) {
    const answer = await ask('/console/link', { link: secret, password: each });
    assert.match(`${answer.status} ${await answer.text()}`, /^400 .*must not be a common password/, each);
    const own = await change(cookie, '/whoami/password', { presentPassword: password, password: each });
    assert.match(own, /^400 .*"field":"password"/, each);
  }
  assert.equal((await ask('/console/link', { link: secret, password })).status, 204, 'the link still works');
});

it('the answer to a revoked key says that the operator still has a password', async () => {
  const { operator, operatorKey } = operatorCalls(gateway.operator);
  await signIn('still-in');
  done(await operator.add({ operator: 'key-only', role: 'viewer' }));
  const revoke = async (of: string) => {
    const { id } = done(await operatorKey.add({ operator: of }));
    return done(await operatorKey.revoke({ id })).warning;
  };
  assert.match(
    (await revoke('still-in')) ?? '',
    /still-in can still sign in to the console with a password: .*operator remove/,
  );
  assert.equal(await revoke('key-only'), undefined);
});
