/*
 * Signs operators in to the console. They use a password and, if set up, a one-time code; the first time they use a
 * link. A session is an operator key in a cookie, which scripts cannot read and pages of other sites cannot send.
 */

import { readValues } from '@morsel/api/fields/field.ts';
import { signInFields, signInLinkFields } from '@morsel/api/admin/access/sign-in.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, secondMs } from '@morsel/api/values/time.ts';
import { makeToken, tokenRandomBytes, verifyOperatorKey } from '../../../core/account/token.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { localOwner, type Caller } from '../../../core/account/caller.ts';
import { runAudited } from '../access/audit.ts';
import type { Admit, Exchange, HttpRoute, Success } from '../../http/routes.ts';
import { setOwnPassword } from '../access/operators.ts';
import { sessionCookie, sessionKeyIn } from '../access/session-cookie.ts';
import { decided } from '../direct.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { readJsonBody } from '../request-fields.ts';

const sessionMs = 12 * hourMs;
const agentMax = 200;

interface SignInNeeds {
  readonly operator: OperatorNeeds;
  readonly log: { info(fields: object, message: string): void };
}

/** The routes of the sign-in, which need no operator key. */
export function signInRoutes(needs: SignInNeeds, admit: Admit): readonly HttpRoute[] {
  const route = (
    path: string,
    run: (exchange: Exchange, body: unknown) => ReturnType<HttpRoute['run']>,
  ): HttpRoute => ({
    path,
    methods: ['POST'],
    admit,
    run: async (exchange) => {
      const body = readJsonBody(exchange.body);
      if (!body.ok) return body;
      // A request of another site's page is refused earlier, because its Origin differs from its Host.
      return exchange.request.headers.origin === undefined ? originMissing : run(exchange, body.value);
    },
  });
  return [
    route('/console/sign-in', (exchange, body) => signIn(needs, byPassword, { exchange, body })),
    route('/console/link', (exchange, body) => signIn(needs, byLink, { exchange, body })),
    route('/console/sign-out', async ({ request, address, requestId }) => {
      const ended = await endSession(needs.operator, sessionKeyIn(request.headers), { address, requestId });
      return ended.ok ? withCookie(sessionCookie(request.headers, '', 0)) : ended;
    }),
  ];
}

async function signIn(
  needs: SignInNeeds,
  { check, detail }: Way,
  { exchange: { request, requestId, address }, body }: { readonly exchange: Exchange; readonly body: unknown },
): Promise<Result<Success, Rejection>> {
  const by = { address, requestId };
  const done = await needs.operator.signInGuard.inTurn(address, () => check(needs.operator, body, by));
  if (!done.ok) {
    if (done.error.code !== 'unauthorized') return done;
    needs.log.info(by, 'a sign-in was refused');
    return refused({ code: 'sign_in_refused', detail });
  }
  const agent = request.headers['user-agent'] ?? '';
  const begun = await beginSession(needs.operator, done.value, { ...by, agent });
  if (!begun.ok) return begun.error.code === 'unauthorized' ? refused({ code: 'sign_in_refused', detail }) : begun;
  needs.log.info({ requestId, operator: done.value.operator, address }, 'an operator signed in');
  return withCookie(sessionCookie(request.headers, begun.value, sessionMs / secondMs));
}

function withCookie(cookie: string): Result<Success, Rejection> {
  return ok({ status: 204, body: '', headers: { 'Set-Cookie': cookie } });
}

const originMissing = refused<Rejection>({ code: 'forbidden', detail: 'Origin is missing' });

/** The operator who signed in, and the time step of the one-time code. */
interface SignedIn {
  readonly operator: string;
  readonly codeStep: number | null;
}

/** The source of a request, for the audit log. */
type From = Pick<Caller, 'address' | 'requestId'>;

type Check = (needs: OperatorNeeds, body: unknown, by: From) => Promise<Result<SignedIn, Rejection>>;

/** A way to sign in, with the error text of its refusal. */
interface Way {
  readonly check: Check;
  readonly detail: string;
}

const byPassword: Way = { check: withPassword, detail: 'the operator or the password is missing or wrong' };
const byLink: Way = { check: withLink, detail: 'the link is unknown, was used before or has expired' };

const wrong = refused({ code: 'unauthorized' } as const);

async function withPassword(
  { signInGuard }: OperatorNeeds,
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
async function withLink(needs: OperatorNeeds, body: unknown, by: From): Promise<Result<SignedIn, Rejection>> {
  const read = readValues(signInLinkFields, { ...Object(body) });
  if (!read.ok) return refused(read.error);
  const { link, operator: name, password } = read.value;
  const { signInLinks: links } = needs;
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
