import type { KeyObject } from 'node:crypto';
import { notificationForms } from '../clients/apis.ts';
import type { NotificationForm } from '../clients/dialect.ts';
import type { Notification, NotificationContent, TryOutcome } from '../../core/notification/notification.ts';
import { hourMs, secondMs, type Instant } from '@morsel/api/values/time.ts';
import type { Template } from '../../core/notification/template.ts';
import type { OutwardCalls, Webhook } from '../../core/notification/webhook.ts';
import { keyOfSecret, signedHeaders } from '../../core/notification/signature.ts';
import type { Destination } from '../../flow/notification/worker.ts';
import type { Clock } from '../../runtime/clock.ts';
import { version } from '../../runtime/version.ts';
import { Connections, type ConnectionsNeeds, type Target } from './connections.ts';
import type { WebhookAnswer } from './exchange.ts';

/* Writes and signs the requests of webhooks and callbacks, and converts the answers to outcomes. */

export interface DestinationNeeds extends ConnectionsNeeds {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs'>;
  /** The time limit of a try in milliseconds (default: 15,000). */
  readonly limitMs?: number | undefined;
  readonly onOutcome?: (outcome: TryOutcome) => void;
}

/** Where a request goes, and in which form. */
interface Place {
  readonly target: Target;
  readonly form: NotificationForm;
  readonly template: Template | null;
}

/** A webhook, or the callbacks of an account: the message of each notification has the URL and the form. */
export class WebhookDestination implements Destination {
  readonly #of: Webhook | OutwardCalls;
  readonly #needs: DestinationNeeds;
  readonly #keys: readonly KeyObject[];
  readonly #connections: Connections;
  readonly #webhook: { readonly by: string; readonly place: Place | undefined } | undefined;
  /** The number of requests whose connections are not free yet. */
  #busy = 0;
  #isClosed = false;

  constructor(of: Webhook | OutwardCalls, needs: DestinationNeeds) {
    this.#of = of;
    this.#needs = needs;
    this.#keys = of.secrets.flatMap((secret) => {
      const key = keyOfSecret(secret);
      return key.ok ? [key.value] : [];
    });
    this.#connections = new Connections(of.allowed, needs);
    this.#webhook = 'url' in of ? { by: `webhook ${of.id}`, place: this.#placeOf(of) } : undefined;
  }

  room(): number {
    return this.#isClosed ? 0 : this.#of.concurrency - this.#busy;
  }

  async deliver(notification: Notification): Promise<TryOutcome> {
    if (this.#isClosed) return { kind: 'untried' };
    const outcome = this.#webhook
      ? this.#outcomeOf(await this.call(idOf(notification), notification), this.#webhook)
      : await this.#callBack(notification);
    this.#needs.onOutcome?.(outcome);
    return outcome;
  }

  /** Sends a notification to the webhook, or with `isTest` a sample of one, within a time limit. Never rejects. */
  call(id: string, notification: NotificationContent, { isTest = false } = {}): Promise<WebhookAnswer> {
    return this.#send(this.#webhook?.place, { id, notification, isTest });
  }

  /** A callback that wants no more of its message is given up, and the others go on. */
  async #callBack(notification: Notification): Promise<TryOutcome> {
    const by = 'callback';
    const callback = notification.kind === 'receipt' ? notification.callback : undefined;
    if (!callback) return { kind: 'never', by, detail: 'the URL of the callback was erased' };
    const place = this.#placeOf(callback);
    const answer = await this.#send(place, { id: idOf(notification), notification, isTest: false });
    const outcome = this.#outcomeOf(answer, { by, place });
    return outcome.kind === 'gone' ? { ...outcome, kind: 'never' } : outcome;
  }

  #placeOf({
    url,
    method,
    template = null,
  }: Pick<Webhook, 'url' | 'method'> & Partial<Pick<Webhook, 'template'>>): Place | undefined {
    const target = this.#connections.targetOf(url);
    return target && { target, form: notificationForms[method], template };
  }

  async #send(
    place: Place | undefined,
    { id, notification, isTest }: { id: string; notification: NotificationContent; isTest: boolean },
  ): Promise<WebhookAnswer> {
    if (!place) return { kind: 'failed', why: 'the URL of the webhook is no longer allowed' };
    const { form, template } = place;
    const { send, path, query } = place.target;
    const content = form.write(notification, { path, query, template, isTest });
    this.#busy += 1;
    const answer = await send({
      method: content.body === null ? 'GET' : 'POST',
      path: content.path,
      headers: {
        'user-agent': userAgent,
        ...signedHeaders(this.#keys, { id, at: this.#needs.clock.now(), content: content.signed }),
        ...(content.type === null ? {} : { 'content-type': content.type }),
      },
      body: content.body,
      limitMs: this.#needs.limitMs,
    });
    this.#busy -= 1;
    this.#closeWhenDone();
    return answer;
  }

  /** Completes requests in progress, and closes idle connections at once. */
  close(): void {
    this.#isClosed = true;
    this.#closeWhenDone();
  }

  destroy(): void {
    this.#isClosed = true;
    this.#connections.destroy();
  }

  #closeWhenDone(): void {
    if (this.#isClosed && this.#busy === 0) this.#connections.destroy();
  }

  /** Whether an answer of the webhook with this status acknowledges the notification. */
  acknowledges(status: number, place = this.#webhook?.place): boolean {
    return place?.form.acknowledges?.(status) ?? (status >= 200 && status < 300);
  }

  #outcomeOf(answer: WebhookAnswer, { by, place }: { by: string; place: Place | undefined }): TryOutcome {
    if (answer.kind === 'failed') return { kind: 'later', by, detail: answer.why };
    const { status } = answer;
    const detail = describeStatus(status);
    if (this.acknowledges(status, place)) return { kind: 'delivered', by, detail };
    if (status === 410) return { kind: 'gone', by, detail };
    const notBeforeMs = retryAfterMs(answer.retryAfter, this.#needs.clock.now());
    return notBeforeMs === undefined ? { kind: 'later', by, detail } : { kind: 'later', by, detail, notBeforeMs };
  }
}

export const userAgent = `morsel/${version}`;

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
