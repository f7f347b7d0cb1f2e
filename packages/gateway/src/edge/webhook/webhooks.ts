import { fieldsOf, testField } from '../../core/notification/fields.ts';
import type { NotificationField } from '../../core/notification/fields.ts';
import type { NotificationContent, TryOutcome } from '../../core/notification/notification.ts';
import type { Snapshot } from '../../core/message/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import type { Trial } from '../../operator/webhooks.ts';
import type { DestinationKey } from '../../store/commands/notification.ts';
import type { Lookup } from './lookup.ts';
import { describeStatus, WebhookDestination } from './webhook-destination.ts';

interface WebhooksNeeds {
  readonly notifier: Pick<Notifier, 'open' | 'close' | 'hasRoom'>;
  readonly clock: Clock;
  readonly lookup: Lookup;
  /** Who signs certificates, beside whom the system trusts. */
  readonly ca?: string | undefined;
}

interface Running {
  /** Its settings, as one text that is another when they are others. */
  readonly settings: string;
  readonly key: DestinationKey;
  readonly destination: WebhookDestination;
}

/** The newest try at a webhook since the process began. */
export interface LastOutcome {
  readonly at: Instant;
  readonly outcome: TryOutcome;
}

/** The webhooks that are told: kept as the snapshot says. */
export class Webhooks {
  readonly #needs: WebhooksNeeds;
  readonly #running = new Map<number, Running>();
  readonly #lastOutcomes = new Map<number, LastOutcome>();

  constructor(needs: WebhooksNeeds) {
    this.#needs = needs;
  }

  /** Opens, closes and changes destinations so that they are as the operator set them: what is under way ends by itself. */
  apply({ webhooks }: Pick<Snapshot, 'webhooks'>): void {
    for (const id of this.#running.keys()) if (webhooks.get(id)?.status !== 'active') this.#close(id);
    for (const id of this.#lastOutcomes.keys()) if (!webhooks.has(id)) this.#lastOutcomes.delete(id);
    for (const webhook of webhooks.values()) {
      const settings = JSON.stringify(webhook);
      const running = this.#running.get(webhook.id);
      if (webhook.status === 'active' && running?.settings !== settings) this.#open(webhook, settings);
    }
  }

  last(webhook: number): LastOutcome | undefined {
    return this.#lastOutcomes.get(webhook);
  }

  /** One request that is marked as a trial, over a connection of its own, whatever the webhook's status is. */
  async tryOut(webhook: Webhook, content: NotificationContent): Promise<Trial> {
    const { clock, lookup, ca } = this.#needs;
    const destination = new WebhookDestination(webhook, { clock, lookup, ca });
    const begunMs = clock.monotonicMs();
    const answer = await destination.call(`msg_test_${clock.now().toString(36)}`, trialFields(content));
    const tookMs = Math.round(clock.monotonicMs() - begunMs);
    await destination.destroy();
    if (answer.kind === 'failed') return { status: null, isGood: false, detail: answer.why, tookMs };
    const { status } = answer;
    const isGood = status >= 200 && status < 300;
    return { status, isGood, detail: describeStatus(status), tookMs };
  }

  async close(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { key } of running) this.#needs.notifier.close(key);
    await Promise.all(running.map(({ destination }) => destination.destroy()));
  }

  #open(webhook: Webhook, settings: string): void {
    const { notifier, clock, lookup, ca } = this.#needs;
    const { id, account } = webhook;
    const before = this.#running.get(id);
    const key = { kind: 'webhook', account, webhook: id } as const;
    const destination = new WebhookDestination(webhook, {
      clock,
      lookup,
      ca,
      onRoom: () => notifier.hasRoom(key),
      onOutcome: (outcome) => void this.#lastOutcomes.set(id, { at: clock.now(), outcome }),
    });
    this.#running.set(id, { settings, key, destination });
    notifier.open(key, destination);
    before?.destination.close();
  }

  #close(id: number): void {
    const running = this.#running.get(id);
    if (!running) return;
    this.#running.delete(id);
    this.#needs.notifier.close(running.key);
    running.destination.close();
  }
}

/** The fields of a notification, with the mark of a test behind its type. */
function trialFields(content: NotificationContent): NotificationField[] {
  const [type, ...rest] = fieldsOf(content);
  return type ? [type, testField, ...rest] : [testField];
}
