import type { KeyObject } from 'node:crypto';
import { Pool } from 'undici';
import { fieldsOf } from '../../core/notification/fields.ts';
import type { NotificationField } from '../../core/notification/fields.ts';
import type { Notification, TryOutcome } from '../../core/notification/notification.ts';
import { retryAfterMs } from '../../core/notification/retry-after.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Webhook, WebhookMethod } from '../../core/notification/webhook.ts';
import { keyOfSecret, signaturesOf } from '../../core/notification/signature.ts';
import { applyTemplate, asForm, asJson } from '../../core/notification/template.ts';
import type { TemplateContent } from '../../core/notification/template.ts';
import { parseWebhookUrl } from '../../core/notification/webhook-url.ts';
import type { Destination } from '../../flow/notification/notify.ts';
import type { Clock } from '../../runtime/clock.ts';
import { version } from '../../runtime/version.ts';
import { WebhookExchange } from './exchange.ts';
import type { WebhookAnswer } from './exchange.ts';
import { safeConnector } from './safe-connector.ts';
import type { ConnectorNeeds } from './safe-connector.ts';

/* One webhook as a destination of notifications: writes the requests, signs them, and turns answers into outcomes. */

export interface DestinationNeeds extends Omit<ConnectorNeeds, 'allowed' | 'clock'> {
  readonly clock: Clock;
  /** Time for a try, if not the usual. */
  readonly limitMs?: number | undefined;
  /** Called when there is room again, after an answer with a slow body. */
  readonly onRoom?: () => void;
  /** Called with the outcome of each try. */
  readonly onOutcome?: (outcome: TryOutcome) => void;
}

/** Octets of an answer's headers. An answer with longer ones counts as failed. */
const headersMaxOctets = 16 * 1024;
/** An idle connection is closed after the first time, or at most after the second if the receiver says that it keeps it. */
const idleMs = 4 * secondMs;
const idleMaxMs = 60 * secondMs;
/** Requests in progress when a destination closes have ended by then. */
const closeMaxMs = 20 * secondMs;

/** Sends the notifications of one webhook, signed, over a few connections that stay open. */
export class WebhookDestination implements Destination {
  readonly #webhook: Webhook;
  readonly #needs: DestinationNeeds;
  readonly #keys: readonly KeyObject[];
  readonly #by: string;
  readonly #target: Target | undefined;
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
  }

  room(): number {
    return this.#isClosed ? 0 : this.#webhook.concurrency - this.#busy;
  }

  async deliver(notification: Notification): Promise<TryOutcome> {
    if (this.#isClosed) return { kind: 'untried' };
    const outcome = this.#outcomeOf(await this.call(idOf(notification), fieldsOf(notification)));
    this.#needs.onOutcome?.(outcome);
    return outcome;
  }

  /** Sends one request and returns the answer, within a time limit. Never rejects. */
  call(id: string, fields: readonly NotificationField[]): Promise<WebhookAnswer> {
    if (!this.#target) return Promise.resolve({ kind: 'failed', why: 'its URL is no longer allowed' });
    const { pool, path, query } = this.#target;
    const request = requestOf(this.#webhook.method, applyTemplate(this.#webhook.template, fields), { path, query });
    const timestamp = Math.floor(this.#needs.clock.now() / secondMs);
    const headers = [
      'user-agent',
      userAgent,
      'webhook-id',
      id,
      'webhook-timestamp',
      String(timestamp),
      'webhook-signature',
      signaturesOf(this.#keys, { id, timestamp, content: request.signed }),
    ];
    if (request.type !== null) headers.push('content-type', request.type);
    let isAnswered = false;
    this.#busy += 1;
    const onEnd = () => {
      this.#busy -= 1;
      if (isAnswered) this.#needs.onRoom?.();
    };
    const exchange = new WebhookExchange({ onEnd, limitMs: this.#needs.limitMs });
    void exchange.answer.then(() => {
      isAnswered = true;
    });
    pool.dispatch(
      { method: request.body === null ? 'GET' : 'POST', path: request.path, body: request.body, headers },
      exchange,
    );
    return exchange.answer;
  }

  /** Accepts nothing more. Requests in progress run to their end; idle connections are closed at once. */
  close(): void {
    this.#isClosed = true;
    const pool = this.#target?.pool;
    if (!pool) return;
    const timer = this.#needs.clock.setTimer(() => void pool.destroy(), closeMaxMs);
    void pool.close().finally(() => timer.cancel());
  }

  /** Also ends requests in progress. */
  async destroy(): Promise<void> {
    this.#isClosed = true;
    await this.#target?.pool.destroy();
  }

  #outcomeOf(answer: WebhookAnswer): TryOutcome {
    const by = this.#by;
    if (answer.kind === 'failed') return { kind: 'later', by, detail: answer.why };
    const { status } = answer;
    const detail = describeStatus(status);
    if (status >= 200 && status < 300) return { kind: 'delivered', by, detail };
    if (status === 410) return { kind: 'gone', by, detail };
    const notBeforeMs = retryAfterMs(answer.retryAfter, this.#needs.clock.now());
    return notBeforeMs === undefined ? { kind: 'later', by, detail } : { kind: 'later', by, detail, notBeforeMs };
  }
}

const userAgent = `morsel/${version}`;

interface Target {
  readonly pool: Pool;
  readonly path: string;
  readonly query: string;
}

function targetOf({ url, allowed, concurrency }: Webhook, needs: DestinationNeeds): Target | undefined {
  const read = parseWebhookUrl(url, allowed);
  if (!read.ok) return undefined;
  const { origin, path, query } = read.value;
  const pool = new Pool(origin, {
    connect: safeConnector({ clock: needs.clock, lookup: needs.lookup, ca: needs.ca, allowed }),
    connections: concurrency,
    pipelining: 1,
    maxHeaderSize: headersMaxOctets,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMaxMs,
    // WebhookExchange has its own time limits.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { pool, path, query };
}

interface Request {
  readonly path: string;
  readonly body: string | null;
  readonly type: string | null;
  /** The signed content. */
  readonly signed: string;
}

function requestOf(
  method: WebhookMethod,
  content: TemplateContent,
  { path, query }: { path: string; query: string },
): Request {
  const target = query === '' ? path : `${path}?${query}`;
  switch (method) {
    case 'post-json': {
      const body = asJson(content);
      return { path: target, body, type: 'application/json', signed: body };
    }
    case 'post-form': {
      const body = asForm(content);
      return { path: target, body, type: 'application/x-www-form-urlencoded', signed: body };
    }
    case 'get': {
      const whole = [query, asForm(content)].filter((each) => each !== '').join('&');
      return { path: `${path}?${whole}`, body: null, type: null, signed: whole };
    }
  }
}

/** The webhook-id of a notification. It is the same at every try, also after a replay or restart, and unique among gateways. */
function idOf({ id, createdAt }: Pick<Notification, 'id' | 'createdAt'>): string {
  return `msg_${id}_${createdAt.toString(36)}`;
}

/** An HTTP status in words for the operator. */
export function describeStatus(status: number): string {
  if (status >= 300 && status < 400) return `${status}: redirects are not followed`;
  return status === 410 ? '410: the receiver wants no more notifications' : String(status);
}
