import type { NotificationContent, TryOutcome } from '../../core/notification/notification.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { OutwardCalls, Webhook } from '../../core/notification/webhook.ts';
import type { Nodes } from '../../flow/nodes/nodes.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import type { DestinationKey } from '../../state/tables/notification.ts';
import type { Lookup } from './lookup.ts';
import { describeStatus, WebhookDestination } from './webhook-destination.ts';
import type { Tools } from '../../flow/ports.ts';

/*
 * Opens and closes destinations when the operator changes webhooks and callbacks of accounts, and sends test requests.
 */

/** A webhook, or the callbacks of an account, and the number of its duty. */
interface Wanted {
  readonly key: Exclude<DestinationKey, { kind: 'sessions' }>;
  readonly duty: number;
  readonly of: Webhook | OutwardCalls;
}

interface Running extends Wanted {
  /** All settings as one text, which shows any change. */
  readonly settings: string;
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
  readonly #running = new Map<string, Running>();
  readonly #lastOutcomes = new Map<number, LastOutcome>();
  #wanted: readonly Wanted[] = [];

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
    for (const kind of ['webhook', 'callback'] as const)
      needs.nodes.wish({
        kind,
        keys: () => this.#wanted.flatMap(({ key, duty }) => (key.kind === kind ? duty : [])),
        isShared: true,
        changed: () => this.#arrange(),
      });
  }

  /** Opens and closes destinations, so that they match the snapshot. Requests in progress are completed. */
  apply({ webhooks, callbacks }: Pick<Snapshot, 'webhooks' | 'callbacks'>): void {
    this.#wanted = [
      ...[...webhooks.values()]
        .filter(({ status }) => status === 'active')
        .map((of): Wanted => ({ key: { kind: 'webhook', account: of.account, webhook: of.id }, duty: of.id, of })),
      ...[...callbacks.values()].map((of): Wanted => ({
        key: { kind: 'callback', account: of.account },
        duty: of.account,
        of,
      })),
    ];
    this.#needs.nodes.look();
    for (const id of this.#lastOutcomes.keys()) if (!webhooks.has(id)) this.#lastOutcomes.delete(id);
    void this.#arrange();
  }

  /** Resolves when closed destinations have completed their requests. */
  async #arrange(): Promise<void> {
    const { nodes } = this.#needs;
    const own = this.#wanted.filter(({ key, duty }) => nodes.holds(key.kind, duty));
    const ours = new Map(own.map((wanted) => [`${wanted.key.kind} ${wanted.duty}`, wanted]));
    const closed = [...this.#running.keys()].filter((name) => !ours.has(name)).map((name) => this.#close(name));
    for (const [name, wanted] of ours) {
      const settings = JSON.stringify(wanted.of);
      if (this.#running.get(name)?.settings !== settings) this.#open(name, { ...wanted, settings });
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

  #open(name: string, opened: Wanted & { readonly settings: string }): void {
    const { notifier, clock, lookup, ca } = this.#needs;
    const { key, of } = opened;
    const before = this.#running.get(name);
    const destination = new WebhookDestination(of, {
      clock,
      lookup,
      ca,
      onOutcome: (outcome) => {
        if (key.kind === 'webhook') this.#lastOutcomes.set(key.webhook, { at: clock.now(), outcome });
      },
    });
    this.#running.set(name, { ...opened, destination });
    notifier.open(key, destination);
    before?.destination.close();
  }

  async #close(name: string): Promise<void> {
    const running = this.#running.get(name);
    if (!running) return;
    this.#running.delete(name);
    const closed = this.#needs.notifier.close(running.key);
    running.destination.close();
    await closed;
  }
}
