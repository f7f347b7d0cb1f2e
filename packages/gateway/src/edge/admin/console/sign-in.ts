/*
 * Signs operators in to the console. They use a password and, if set up, a one-time code; the first time they use a
 * link. A session is an operator key in a cookie, which scripts cannot read and pages of other sites cannot send.
 */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readValues } from '@morsel/api/admin/field.ts';
import { signInFields, signInLinkFields } from '@morsel/api/admin/access/sign-in.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import { makeToken, tokenRandomBytes, verifyOperatorKey } from '../../../core/account/token.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { localOwner, type Caller } from '../../../core/account/caller.ts';
import { runAudited } from '../access/audit.ts';
import { setOwnPassword } from '../access/operators.ts';
import { sessionCookie, sessionKeyIn } from '../access/session-cookie.ts';
import { decided } from '../direct.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import type { SignInLinks } from './links.ts';

const sessionMs = 12 * hourMs;
const agentMax = 200;

export interface SignInNeeds {
  readonly operator: OperatorNeeds;
  readonly links: SignInLinks;
  readonly addressOf: (request: FastifyRequest) => string;
  readonly refuse: (reply: FastifyReply, rejection: Rejection) => FastifyReply;
  readonly log: { info(fields: object, message: string): void };
}

/** Adds the paths of the sign-in. They need no operator key. */
export function addSignIn(app: FastifyInstance, needs: SignInNeeds): void {
  const open = { config: { isOpen: true } };
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { signIn, detail }: Way,
  ): Promise<FastifyReply> => {
    const address = needs.addressOf(request);
    const by = { address, requestId: request.id };
    // A request of another site's page is refused earlier, because its Origin differs from its Host.
    if (request.headers.origin === undefined) return needs.refuse(reply, originMissing);
    const done = await needs.operator.signInGuard.inTurn(address, () => signIn(needs, request.body, by));
    if (!done.ok) {
      if (done.error.code !== 'unauthorized') return needs.refuse(reply, done.error);
      needs.log.info({ requestId: request.id, address }, 'a sign-in was refused');
      return needs.refuse(reply, { code: 'sign_in_refused', detail });
    }
    const agent = request.headers['user-agent'] ?? '';
    const begun = await beginSession(needs.operator, done.value, { ...by, agent });
    if (!begun.ok) {
      const { error } = begun;
      return needs.refuse(reply, error.code === 'unauthorized' ? { code: 'sign_in_refused', detail } : error);
    }
    needs.log.info({ requestId: request.id, operator: done.value.operator, address }, 'an operator signed in');
    return reply
      .header('Set-Cookie', sessionCookie(request.headers, begun.value, sessionMs / secondMs))
      .header('Cache-Control', 'no-store')
      .code(204)
      .send();
  };
  app.post('/console/sign-in', open, (request, reply) => answer(request, reply, byPassword));
  app.post('/console/link', open, (request, reply) => answer(request, reply, byLink));
  app.post('/console/sign-out', open, async (request, reply) => {
    if (request.headers.origin === undefined) return needs.refuse(reply, originMissing);
    const by = { address: needs.addressOf(request), requestId: request.id };
    const ended = await endSession(needs.operator, sessionKeyIn(request.headers), by);
    if (!ended.ok) return needs.refuse(reply, ended.error);
    const gone = sessionCookie(request.headers, '', 0);
    return reply.header('Set-Cookie', gone).header('Cache-Control', 'no-store').code(204).send();
  });
}

const originMissing: Rejection = { code: 'forbidden', detail: 'Origin is missing' };

/** The operator who signed in, and the time step of the one-time code. */
interface SignedIn {
  readonly operator: string;
  readonly codeStep: number | null;
}

/** The source of a request, for the audit log. */
type From = Pick<Caller, 'address' | 'requestId'>;

type SignIn = (needs: SignInNeeds, body: unknown, by: From) => Promise<Result<SignedIn, Rejection>>;

/** A way to sign in, with the error text of its refusal. */
interface Way {
  readonly signIn: SignIn;
  readonly detail: string;
}

const byPassword: Way = { signIn: withPassword, detail: 'the operator or the password is missing or wrong' };
const byLink: Way = { signIn: withLink, detail: 'the link is unknown, was used before or has expired' };

const wrong = refused({ code: 'unauthorized' } as const);

async function withPassword(
  { operator: { signInGuard } }: SignInNeeds,
  body: unknown,
  { address }: From,
): Promise<Result<SignedIn, Rejection>> {
  const read = readValues(signInFields, { ...Object(body) });
  if (!read.ok) return wrong;
  const checked = await signInGuard.check(read.value, address);
  return checked.ok ? ok({ operator: read.value.operator, codeStep: checked.value }) : checked;
}

/**
 * Sets the password of the operator for whom the link was made. The first owner's link also adds this owner, or sets
 * the password of an owner without a password.
 */
async function withLink(
  { operator: needs, links }: SignInNeeds,
  body: unknown,
  by: From,
): Promise<Result<SignedIn, Rejection>> {
  const read = readValues(signInLinkFields, { ...Object(body) });
  if (!read.ok) return refused(read.error);
  const { link, operator: name, password } = read.value;
  const made = links.take(link, needs.clock.now());
  if (!made) return wrong;
  if (made.operator === null) {
    const others = await needs.reader.ask('ownerSignIn', undefined);
    if (!others.ok) links.putBack(made);
    if (!others.ok || others.value) return others.ok ? wrong : others;
  }
  const operator = made.operator ?? name;
  if (operator === undefined) {
    links.putBack(made);
    return refused({ code: 'missing_parameter', field: 'operator' });
  }
  const request = {
    name: 'operator.password',
    input: signInLinkFields,
    values: read.value,
    given: ['operator', 'password'],
  };
  const caller = { ...callerOf(needs, operator), ...by, key: 'sign-in-link' };
  const done = await runAudited({ ...needs, caller }, request, async (all) => {
    const isOwner = needs.snapshot().operators.get(operator) === 'owner';
    const added =
      made.operator === null && !isOwner ? await decided('operator.add')(all, { operator, role: 'owner' }) : ok(null);
    return added.ok ? setOwnPassword(all, password, null) : added;
  });
  if (done.ok) return ok({ operator, codeStep: null });
  links.putBack(made);
  return done;
}

/** The operator who signs in, as the caller of operations. The first operator is an owner. */
function callerOf(needs: OperatorNeeds, name: string): Caller {
  return { ...localOwner, name, role: needs.snapshot().operators.get(name) ?? 'owner' };
}

/** Ends the session of the cookie in the request. Does nothing if the request has no cookie. */
async function endSession(
  needs: OperatorNeeds,
  cookie: string | undefined,
  by: From,
): Promise<Result<unknown, Rejection>> {
  const key = verifyOperatorKey(needs.snapshot().operatorKeys, cookie ?? '', needs.clock.now());
  if (key?.kind !== 'session') return ok(null);
  const { id } = key;
  const caller = { ...callerOf(needs, key.operator), ...by, key: id };
  const request = { name: 'operatorKey.end', input: {}, values: { id }, given: [] };
  return runAudited({ ...needs, caller }, request, (all) => decided('operatorKey.revoke')(all, { id }));
}

/** Returns the text of the session's operator key. The audit log says who signed in, when and from where. */
async function beginSession(
  needs: OperatorNeeds,
  { operator, codeStep }: SignedIn,
  { agent, ...by }: From & { readonly agent: string },
): Promise<Result<string, Rejection>> {
  const at = needs.clock.now();
  const { text, id, hash } = makeToken(needs.random.bytes(tokenRandomBytes), 'morselop');
  const session = { at, operator, id, hash, expiresAt: at + sessionMs, agent: agent.slice(0, agentMax), codeStep };
  const caller = { ...callerOf(needs, operator), ...by, key: id };
  const request = { name: 'operator.signIn', input: {}, values: {}, given: [] };
  const begun = await runAudited({ ...needs, caller }, request, async (all) => {
    const written = await all.journal.append<'begin-session'>({ kind: 'begin-session', ...session });
    if (written.ok) await all.reloadSnapshot();
    return written;
  });
  return begun.ok ? ok(text) : begun;
}
