/* An HTTP server with a recording API, for tests of the HTTP edge alone. */

import { accountDefaults, type Account } from '../../../src/core/account/account.ts';
import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Rejection } from '../../../src/core/base/rejection.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { toMessageId } from '../../../src/core/base/message-id.ts';
import type { Draft } from '../../../src/core/message/admission.ts';
import type { ReportView } from '../../../src/store/views/message/messages.ts';
import type { AcceptedMessage, Balance } from '../../../src/flow/ports.ts';
import type { Quote } from '../../../src/flow/message/quote.ts';
import type { ClientApi } from '../../../src/edge/clients/client-api.ts';
import type { HttpWaits } from '../../../src/edge/http/connection/limits.ts';
import type { CertificatePort } from '../../../src/edge/certificates.ts';
import { startClientListener } from '../../../src/edge/clients/listener.ts';
import { clientRoutes } from '../../../src/edge/clients/apis.ts';
import { quietLog } from '../quiet-log.ts';
import { machineClock } from '../../../src/runtime/clock.ts';
import { request } from './raw-http.ts';

/** For tests: the real server on a free port, with an API that records its calls. */
export interface TestSite extends AsyncDisposable {
  readonly port: number;
  /** Null without a certificate. */
  readonly tlsPort: number | null;
  /** The calls of the API, in order. */
  readonly calls: unknown[];
  /** Every line of the log at level error. */
  readonly log: string[];
  /** The paths of the refused requests in the log. */
  readonly refused: unknown[];
  /** The trace ids of the refused requests in the log. */
  readonly traceIds: unknown[];
  /** The API's answer to the next messages, instead of accepting them. */
  submit: ((draft: Draft) => Promise<Result<AcceptedMessage, Rejection>>) | undefined;
  ready: boolean;
  close(): Promise<void>;
}

interface SiteNeeds {
  /** Without the lane, node:http reads plain requests, too. */
  readonly hasLane?: boolean;
  readonly balancers?: readonly AddressRange[];
}

export const token = 'morsel_secret_of_a_client';

const account: Account = {
  id: 7,
  name: 'acme',
  currency: 'EUR',
  status: 'active',
  ...accountDefaults,
  priceList: 1,
};

export const accepted: AcceptedMessage = {
  msgId: toMessageId(1_023_456_789_012_345),
  numParts: 2,
  totalCost: toMicros(15_001n),
  clientBalance: toMicros(9_007_199_254_740_993_000_001n),
  clientCurrency: 'EUR',
};

const quoted: Quote = {
  way: null,
  unitPrice: toMicros(7_500n),
  totalCost: toMicros(15_000n),
  routePrefix: '41',
  receiver: '+41791112234',
  numParts: 2,
  encoding: 'UCS',
  outside: { count: 21, characters: [{ character: '"', position: 3 }] },
  clientBalance: toMicros(10_000n),
  balanceAfter: toMicros(-5_000n),
  isCovered: false,
  isReplay: false,
  clientCurrency: 'EUR',
};

const report: ReportView = {
  msgId: toMessageId(1_023_456_789_012_345),
  event: 'undelivered',
  numParts: 2,
  sendTime: Date.UTC(2026, 0, 2, 3, 4, 5, 999),
  eventAt: Date.UTC(2026, 0, 2, 3, 4, 6, 1),
  errorCode: null,
  clientRef: null,
  tags: null,
  sender: '+41791112233',
  receiver: '+41791234567',
  parts: [],
};

const details = {
  errorCode: '0"B',
  clientRef: 'Grüße 😀',
  parts: [
    { number: 1, state: 'delivered', changedAt: report.eventAt, errorCode: null },
    { number: 2, state: 'undelivered', changedAt: report.eventAt, errorCode: '0"B' },
  ],
} as const;

const canceled: ReportView = {
  ...report,
  event: 'canceled',
  parts: [{ number: 1, state: 'canceled', changedAt: report.eventAt, errorCode: null }],
};

/** A message that the site accepts, and the request that sends it. */
export const hi = { auth: token, sender: '+41791112233', receiver: '+41791112234', text: 'Hi', dcs: 'GSM' };
export const hiBytes = request('POST /sms/send', { body: JSON.stringify(hi) });

/** Delays the answers to all messages until `letGo` is called. */
export function holdMessages(site: TestSite): { readonly came: Promise<void>; readonly letGo: () => void } {
  const [came, letGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  site.submit = async () => {
    came.resolve();
    await letGo.promise;
    return ok(accepted);
  };
  return { came: came.promise, letGo: letGo.resolve };
}

export async function startTestSite(
  waits: Partial<HttpWaits> = {},
  tls: CertificatePort | null = null,
  { hasLane = true, balancers = [] }: SiteNeeds = {},
): Promise<TestSite> {
  const calls: unknown[] = [];
  const log: string[] = [];
  const refusedPaths: unknown[] = [];
  const traceIds: unknown[] = [];
  let isCanceled = false;
  const api: ClientApi = {
    authenticate(given, address) {
      if (given !== token) return refused({ code: 'unauthorized' });
      return address === '127.0.0.1' ? ok(account) : refused({ code: 'forbidden', detail: 'not from here' });
    },
    async submit(by, { draft }) {
      calls.push(['submit', by.id, draft]);
      return site.submit ? site.submit(draft) : ok(accepted);
    },
    async quote(by, draft) {
      calls.push(['quote', by.id, draft]);
      return ok(quoted);
    },
    async report(by, messageId, asked) {
      calls.push(['report', by.id, messageId, asked]);
      if (messageId !== String(report.msgId)) return refused({ code: 'message_not_found' });
      if (isCanceled) return ok(canceled);
      return ok(asked?.details === true ? { ...report, ...details } : report);
    },
    async cancel(by, messageId) {
      calls.push(['cancel', by.id, messageId]);
      if (messageId !== String(report.msgId)) return refused({ code: 'message_not_found' });
      isCanceled = true;
      return ok(undefined);
    },
    async balance(by): Promise<Result<Balance, Rejection>> {
      calls.push(['balance', by.id]);
      return ok({ clientBalance: toMicros(-2_500_000n), clientCurrency: by.currency });
    },
  };
  const server = await startClientListener({
    hasBoundLink: () => true,
    routes: hasLane ? clientRoutes(api) : clientRoutes(api).map((route) => ({ ...route, isPlain: false })),
    clock: machineClock,
    host: '127.0.0.1',
    port: 0,
    readiness: {
      ready: () => (site.ready ? ok(undefined) : refused({ code: 'unavailable', detail: 'the service is stopping' })),
    },
    connectionsMax: 100,
    balancers,
    log: {
      ...quietLog,
      error: (fields, message) => log.push(`${message} ${JSON.stringify(fields)}`),
      info: (fields) => {
        refusedPaths.push('path' in fields ? fields.path : undefined);
        traceIds.push('traceId' in fields ? fields.traceId : undefined);
      },
    },
    waits,
    tls,
  });
  const site: TestSite = {
    port: server.port,
    tlsPort: server.tlsPort,
    calls,
    log,
    refused: refusedPaths,
    traceIds,
    submit: undefined,
    ready: true,
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
  return site;
}
