import type { KeyObject } from 'node:crypto';
import { Agent as PlainAgent, request as requestPlain, type ClientRequest } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import { notificationForms } from '../clients/apis.ts';
import type { NotificationForm } from '../clients/dialect.ts';
import type { Notification, NotificationContent, TryOutcome } from '../../core/notification/notification.ts';
import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import { keyOfSecret, signedHeaders } from '../../core/notification/signature.ts';
import { parseWebhookUrl } from '../../core/notification/webhook-url.ts';
import type { Destination } from '../../flow/notification/notify.ts';
import type { Clock } from '../../runtime/clock.ts';
import { version } from '../../runtime/version.ts';
import { answerTo, type WebhookAnswer } from './exchange.ts';
import { safeLookup, type SafeLookupNeeds } from './safe-lookup.ts';

/* Writes and signs webhook requests, and converts the answers to outcomes. */

export interface DestinationNeeds extends Omit<SafeLookupNeeds, 'allowed' | 'clock'> {
  /** Further certificate authorities to trust, in addition to those of the system. */
  readonly ca?: string | undefined;
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** The time limit of a try in milliseconds (default: 15,000). */
  readonly limitMs?: number | undefined;
  readonly onOutcome?: (outcome: TryOutcome) => void;
}

/** The most octets of an answer's headers. An answer with longer headers counts as failed. */
const headersMaxOctets = 16 * 1024;
/** An idle connection is closed after this time, or earlier if the receiver's Keep-Alive header says so. */
const idleMs = 4 * secondMs;
/** The time limit for a connection to one of several addresses of the host name. Then the next address is tried. */
const addressMaxMs = 4 * secondMs;
const keepAliveDelayMs = 30 * secondMs;

export class WebhookDestination implements Destination {
  readonly #webhook: Webhook;
  readonly #needs: DestinationNeeds;
  readonly #keys: readonly KeyObject[];
  readonly #by: string;
  readonly #target: Target | undefined;
  readonly #form: NotificationForm;
  /** The number of requests whose connections are not free yet. */
  #busy = 0;
  #isClosed = false;

  constructor(webhook: Webhook, needs: DestinationNeeds) {
    this.#webhook = webhook;
    this.#needs = needs;
    this.#by = `webhook ${webhook.id}`;
    this.#keys = webhook.secrets.flatMap((secret) => {
      const key = keyOfSecret(secret);
      return key.ok ? [key.value] : [];
    });
    this.#target = targetOf(webhook, needs);
    this.#form = notificationForms[webhook.method];
  }

  room(): number {
    return this.#isClosed ? 0 : this.#webhook.concurrency - this.#busy;
  }

  async deliver(notification: Notification): Promise<TryOutcome> {
    if (this.#isClosed) return { kind: 'untried' };
    const outcome = this.#outcomeOf(await this.call(idOf(notification), notification));
    this.#needs.onOutcome?.(outcome);
    return outcome;
  }

  /** Sends a notification, or with `isTest` a sample of one, within a time limit. Never rejects. */
  call(id: string, notification: NotificationContent, { isTest = false } = {}): Promise<WebhookAnswer> {
    if (!this.#target) return Promise.resolve({ kind: 'failed', why: 'the URL of the webhook is no longer allowed' });
    const { send, path, query } = this.#target;
    const { template } = this.#webhook;
    const content = this.#form.write(notification, { path, query, template, isTest });
    const request = send(content.body === null ? 'GET' : 'POST', content.path, {
      'user-agent': userAgent,
      ...signedHeaders(this.#keys, { id, at: this.#needs.clock.now(), content: content.signed }),
      ...(content.type === null ? {} : { 'content-type': content.type }),
    });
    this.#busy += 1;
    request.on('close', () => {
      this.#busy -= 1;
      this.#closeAgentWhenDone();
    });
    const answer = answerTo(request, this.#needs.limitMs);
    request.end(content.body);
    return answer;
  }

  /** Completes requests in progress, and closes idle connections at once. */
  close(): void {
    this.#isClosed = true;
    this.#closeAgentWhenDone();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#target?.agent.destroy();
  }

  #closeAgentWhenDone(): void {
    if (this.#isClosed && this.#busy === 0) this.#target?.agent.destroy();
  }

  /** Whether an answer with this status acknowledges the notification. */
  acknowledges(status: number): boolean {
    return this.#form.acknowledges?.(status) ?? (status >= 200 && status < 300);
  }

  #outcomeOf(answer: WebhookAnswer): TryOutcome {
    const by = this.#by;
    if (answer.kind === 'failed') return { kind: 'later', by, detail: answer.why };
    const { status } = answer;
    const detail = describeStatus(status);
    if (this.acknowledges(status)) return { kind: 'delivered', by, detail };
    if (status === 410) return { kind: 'gone', by, detail };
    const notBeforeMs = retryAfterMs(answer.retryAfter, this.#needs.clock.now());
    return notBeforeMs === undefined ? { kind: 'later', by, detail } : { kind: 'later', by, detail, notBeforeMs };
  }
}

export const userAgent = `morsel/${version}`;

interface Target {
  readonly agent: PlainAgent;
  readonly send: (method: string, path: string, headers: { readonly [name: string]: string }) => ClientRequest;
  readonly path: string;
  readonly query: string;
}

/** Returns undefined if the URL leads to an address that is neither public nor allowed. */
export function targetOf(
  { url, allowed, concurrency }: Pick<Webhook, 'url' | 'allowed' | 'concurrency'>,
  needs: Pick<DestinationNeeds, 'clock' | 'lookup' | 'ca'>,
): Target | undefined {
  const read = parseWebhookUrl(url, allowed);
  if (!read.ok) return undefined;
  const { origin, host, path, query } = read.value;
  const options = {
    keepAlive: true,
    keepAliveMsecs: keepAliveDelayMs,
    maxSockets: concurrency,
    timeout: idleMs,
    lookup: safeLookup({ clock: needs.clock, lookup: needs.lookup, allowed }),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: addressMaxMs,
  };
  const isTls = origin.startsWith('https:');
  // The certificate must be for the host name in the URL, or for the IP address if the URL has one instead.
  const name = isIP(host) === 0 ? { servername: host.replace(/\.$/, '') } : {};
  const agent = isTls
    ? new TlsAgent({ ...options, ...name, ca: needs.ca, ALPNProtocols: ['http/1.1'], rejectUnauthorized: true })
    : new PlainAgent(options);
  const start = isTls ? requestTls : requestPlain;
  const { port } = new URL(origin);
  // Node gets the URL in pieces, because it would otherwise parse the URL again for each request.
  const send: Target['send'] = (method, ofPath, headers) =>
    start({ agent, host, port, method, path: ofPath, headers, maxHeaderSize: headersMaxOctets });
  return { agent, send, path, query };
}

/** The webhook-id is the same at every try, even after a replay or a restart. Two gateways never use the same one. */
function idOf({ id, createdAt }: Pick<Notification, 'id' | 'createdAt'>): string {
  return `msg_${id}_${createdAt.toString(36)}`;
}

export function describeStatus(status: number): string {
  if (status >= 300 && status < 400) return `${status}: the gateway does not follow redirects`;
  return status === 410 ? '410: the webhook answered that it wants no more notifications' : String(status);
}

/** The longest pause that a receiver may ask for. A longer pause could stop its notifications entirely. */
const retryAfterMaxMs = 4 * hourMs;

/** Reads Retry-After: a number of seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | undefined, now: Instant): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * secondMs : dateOf(text) - now;
  return Number.isNaN(wait) || wait <= 0 ? undefined : Math.min(wait, retryAfterMaxMs);
}

/** Parses an HTTP date in its current form. Older forms are no longer sent (RFC 9110, section 5.6.7). */
function dateOf(text: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text) ? Date.parse(text) : Number.NaN;
}
