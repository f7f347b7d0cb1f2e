import type { NotificationContent, TryOutcome } from '../../core/notification/notification.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Webhook } from '../../core/notification/webhook.ts';
import type { Nodes } from '../../flow/nodes/nodes.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import type { DestinationKey } from '../../state/tables/notification.ts';
import type { Lookup } from './lookup.ts';
import { describeStatus, WebhookDestination } from './webhook-destination.ts';
import type { Tools } from '../../flow/ports.ts';

/* Opens and closes destinations when the operator changes webhooks, and sends test requests. */

interface Running {
  /** All settings of the webhook as one text, which shows any change. */
  readonly settings: string;
  readonly key: DestinationKey;
  readonly destination: WebhookDestination;
}

/** The result of a test request. */
interface Trial {
  /** The HTTP status of the answer; null if there was no answer. */
  readonly status: number | null;
  /** Whether the answer would have counted as an acknowledgement. */
  readonly isGood: boolean;
  /** The result as a sentence. */
  readonly detail: string;
  readonly tookMs: number;
}

/** The latest try of a webhook since the gateway started. */
export interface LastOutcome {
  readonly at: Instant;
  readonly outcome: TryOutcome;
}

export class Webhooks {
  readonly #needs;
  readonly #running = new Map<number, Running>();
  readonly #lastOutcomes = new Map<number, LastOutcome>();

  #webhooks: Snapshot['webhooks'] = new Map();

  constructor(
    needs: Pick<Tools, 'clock'> & {
      readonly notifier: Pick<Notifier, 'open' | 'close'>;
      readonly nodes: Pick<Nodes, 'holds' | 'wish' | 'look'>;
      readonly lookup: Lookup;
      /** A further certificate authority to trust, in addition to those of the system, as PEM. */
      readonly ca?: string | undefined;
    },
  ) {
    this.#needs = needs;
    needs.nodes.wish({
      kind: 'webhook',
      keys: () => [...this.#webhooks.values()].filter(({ status }) => status === 'active').map(({ id }) => id),
      isShared: true,
      changed: () => this.#arrange(),
    });
  }

  /** Opens and closes destinations, so that they match the snapshot. Requests in progress are completed. */
  apply({ webhooks }: Pick<Snapshot, 'webhooks'>): void {
    this.#webhooks = webhooks;
    this.#needs.nodes.look();
    for (const id of this.#lastOutcomes.keys()) if (!webhooks.has(id)) this.#lastOutcomes.delete(id);
    void this.#arrange();
  }

  /** Resolves when closed destinations have completed their requests. */
  async #arrange(): Promise<void> {
    const { nodes } = this.#needs;
    const isOurs = (webhook?: Webhook) => webhook?.status === 'active' && nodes.holds('webhook', webhook.id);
    const closing = [...this.#running.keys()].filter((id) => !isOurs(this.#webhooks.get(id)));
    const closed = closing.map((id) => this.#close(id));
    for (const webhook of this.#webhooks.values()) {
      const settings = JSON.stringify(webhook);
      const running = this.#running.get(webhook.id);
      if (isOurs(webhook) && running?.settings !== settings) this.#open(webhook, settings);
    }
    await Promise.all(closed);
  }

  last(webhook: number): LastOutcome | undefined {
    return this.#lastOutcomes.get(webhook);
  }

  /** Sends one test request over its own connection, even if the webhook is paused or disabled. */
  async tryOut(webhook: Webhook, content: NotificationContent): Promise<Trial> {
    const { clock, lookup, ca } = this.#needs;
    const destination = new WebhookDestination(webhook, { clock, lookup, ca });
    const begunMs = clock.monotonicMs();
    const answer = await destination.call(`msg_test_${clock.now().toString(36)}`, content, { isTest: true });
    const tookMs = Math.round(clock.monotonicMs() - begunMs);
    destination.destroy();
    if (answer.kind === 'failed') return { status: null, isGood: false, detail: answer.why, tookMs };
    const { status } = answer;
    return { status, isGood: destination.acknowledges(status), detail: describeStatus(status), tookMs };
  }

  close(): void {
    for (const { key, destination } of this.#running.values()) {
      void this.#needs.notifier.close(key);
      destination.destroy();
    }
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
      onOutcome: (outcome) => void this.#lastOutcomes.set(id, { at: clock.now(), outcome }),
    });
    this.#running.set(id, { settings, key, destination });
    notifier.open(key, destination);
    before?.destination.close();
  }

  async #close(id: number): Promise<void> {
    const running = this.#running.get(id);
    if (!running) return;
    this.#running.delete(id);
    const closed = this.#needs.notifier.close(running.key);
    running.destination.close();
    await closed;
  }
}
