/* What clients and operators call of one gateway of a simulation: the real edge without its sockets. */

import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { networkOf } from '@morsel/smpp';
import { callsOf, jsonGiven, reasonHeader, type AdminCalls } from '@morsel/api/admin/client.ts';
import { readJson, writeJson } from '@morsel/api/fields/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { BindFailures } from '../../src/core/account/bind-failures.ts';
import type { PasswordHash } from '../../src/core/account/login.ts';
import type { Rejection } from '../../src/core/base/rejection.ts';
import { Admission } from '../../src/edge/admin/access/admission.ts';
import { perform } from '../../src/edge/admin/bind.ts';
import { bound } from '../../src/edge/admin/handlers.ts';
import type { OperatorNeeds } from '../../src/edge/admin/operator-needs.ts';
import { clientRoutes } from '../../src/edge/clients/apis.ts';
import type { ClientApi } from '../../src/edge/clients/client-api.ts';
import { Admissions } from '../../src/edge/clients/smpp/admission.ts';
import { answerRequest } from '../../src/edge/clients/smpp/requests.ts';
import { SessionDestinations } from '../../src/edge/clients/smpp/session-destinations.ts';
import { Sessions } from '../../src/edge/clients/smpp/sessions.ts';
import { HttpRoutes, type Exchange, type Success } from '../../src/edge/http/routes.ts';
import { LastBinds } from '../../src/flow/account/last-binds.ts';
import { SignInGuard } from '../../src/flow/account/sign-in-guard.ts';
import { operatorOf } from '../../src/open-edge.ts';
import type { Flow } from '../../src/open-flow.ts';
import type { Store } from '../../src/open-store.ts';
import { quietLog } from '../support/quiet-log.ts';

/** The key of the data directory. */
export const builtInKey = 'built-in key';
/** The address of all clients and operators. */
const address = '192.0.2.1';

export interface Request {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Called with each operation that an operator asks for. Returns what is called with its answer. */
export type Watch = (
  operation: string,
  given: Readonly<Record<string, unknown>>,
) => (answer: Result<unknown, Rejection>) => void;

interface EdgeNeeds {
  readonly store: Store;
  readonly flow: Flow;
  readonly api: ClientApi;
  /** Called with the code of each refusal over SMPP. */
  readonly refused: (code: string) => void;
}

export class SimEdge {
  readonly admissions: Admissions;
  readonly operator: OperatorNeeds;
  readonly #routes: HttpRoutes;
  readonly #admission: Admission;

  constructor({ store, flow, api, refused: note }: EdgeNeeds) {
    const { tools, nodes } = store;
    const { settings, notifier, readiness } = flow;
    const { snapshot } = settings;
    this.#routes = new HttpRoutes(clientRoutes(api));
    const sessionApi = {
      ...api,
      ...tools,
      now: tools.clock.now,
      refusals: { note: ({ code }: Rejection) => note(code) },
    };
    const isTaking = () => readiness.isTaking;
    const sessions = new Sessions({
      ...tools,
      snapshot,
      nodes,
      isTaking,
      answer: (from, pdu, respond) => answerRequest(sessionApi, from, { pdu, respond }),
    });
    sessions.watch(new SessionDestinations({ ...tools, notifier, nodes }));
    settings.addUser(sessions);
    const lastBinds = new LastBinds(tools);
    this.admissions = new Admissions({
      ...tools,
      snapshot,
      passwords: quickPasswords,
      failures: new BindFailures(),
      sessions,
      isTaking,
      nodes,
      bound: (user) => lastBinds.note(user),
      refusals: { noteBind: () => undefined },
    });
    this.operator = operatorHere(store, flow, sessions);
    this.#admission = new Admission({ key: builtInKey, names: [], operator: this.operator, log: quietLog });
  }

  /** Answers a request of a client over HTTP, which has arrived completely and whose path exists. */
  ask(request: Request): Promise<Result<Success, Rejection>> {
    const found = this.#routes.find(request.path);
    const route = typeof found === 'object' ? found.byMethod.get(request.method ?? 'POST') : undefined;
    if (!route) throw new Error('a client may only ask for what there is');
    return route.run(exchangeOf(request));
  }

  /** The operations of the operator's API, as the operator of this key may call them. */
  calls(key: string, watch: Watch): AdminCalls<Rejection> {
    return callsOf<Rejection>(async (operation, given) => {
      const found = bound.find((each) => each.operation === operation);
      if (!found) throw new Error('an operation has no handler');
      const answered = watch(found.name, given);
      const exchange = exchangeOf({
        path: '/',
        headers: { host: 'localhost', authorization: `Bearer ${key}`, [reasonHeader]: 'asked' },
      });
      const rejection = this.#admission.admit(exchange) ?? this.#admission.check(exchange, operation);
      const needs = rejection ?? { ...this.operator, caller: this.#admission.callerOf(exchange) };
      const json = readJson(writeJson(jsonGiven(operation, given)));
      const done = 'code' in needs ? refused(needs) : await perform(found, needs, { ...Object(json) });
      answered(done);
      return done.ok ? ok({ text: '', value: done.value }) : done;
    });
  }
}

function operatorHere(store: Store, flow: Flow, sessions: Sessions): OperatorNeeds {
  const webhooks: OperatorNeeds['webhooks'] = {
    tryOut: async () => ({ status: 200, isGood: true, detail: '200', tookMs: 1 }),
    last: () => undefined,
  };
  const clients = { sessions, webhooks, smppListeners: { port: null, tlsPort: null, unbound: 0 } };
  return {
    ...operatorOf({ dataDir: tmpdir() }, { store, flow, clients }),
    passwords: quickPasswords,
    signInGuard: new SignInGuard({ ...store.tools, networkOf, passwords: quickPasswords }),
  };
}

/** Passwords whose hash takes no time. scrypt would run on other threads, in an order that no seed decides. */
const quickPasswords = {
  hash: async (password: string): Promise<PasswordHash> => quickHash(password),
  isKnown: () => false,
  isUnderWay: () => false,
  check: async ({ hash: known, password }: { readonly hash: PasswordHash | undefined; readonly password: string }) =>
    known && Buffer.compare(known.hash, quickHash(password).hash) === 0 ? ('right' as const) : ('wrong' as const),
};

export function quickHash(password: string): PasswordHash {
  const octets = hash('sha256', password, 'buffer');
  return { hash: octets, salt: octets, cost: 2, block: 1, lanes: 1 };
}

function exchangeOf({ method = 'POST', path, headers = {}, body }: Request): Exchange {
  const exchange: Omit<Exchange, 'response' | 'connection'> & {
    readonly connection: Pick<Exchange['connection'], 'admit'>;
  } = {
    request: {
      method,
      url: path,
      headers,
      rawHeaders: Object.entries(headers).flat(),
      httpVersionMajor: 1,
      httpVersionMinor: 1,
      complete: true,
    },
    connection: { admit: () => true },
    requestId: 'simulated',
    from: 0,
    address,
    parameters: {},
    body: body === undefined ? undefined : Buffer.from(body),
    account: undefined,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a route that reads no stream uses nothing else of a connection
  return exchange as Exchange;
}
