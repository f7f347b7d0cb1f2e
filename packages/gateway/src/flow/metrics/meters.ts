/* Counts what happens on the path of a message, in plain numbers, which edge/metrics reads at a scrape. */

import { groupSizes, HistogramCount, longTimes, shortTimes } from '../../core/base/histogram.ts';
import type { RejectionCode } from '../../core/base/rejection.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import { outcomeOf, type Outcome } from '../../core/message/outcome.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { AnyResult, Command, CommandOf, ResultOf } from '../../state/commands.ts';
import type { GroupTimes } from '../../store/writer.ts';

export type Counted<Word extends string> = { [W in Word]?: number };

export interface AccountMeter {
  readonly messages: Counted<CommandOf<'accept'>['source']>;
  parts: number;
  /** In millionths of the account's currency. */
  charged: bigint;
  readonly refused: Counted<RejectionCode>;
}

export interface CarrierMeter {
  readonly outcomes: Counted<Outcome>;
  readonly receipts: Counted<'matched' | 'duplicate' | 'unmatched'>;
  inbound: number;
  /** Parts whose final state came from a receipt. */
  delivered: number;
  failed: number;
  /** Seconds from the claim of a part to each receipt that changed its state. */
  readonly receiptSeconds: HistogramCount;
}

const endedStates: ReadonlySet<CarrierState> = new Set(['EXPIRED', 'DELETED', 'UNDELIVERABLE', 'REJECTED']);

type TryResult = 'delivered' | 'failed' | 'dead';

export interface RequestMeter {
  readonly statuses: { [status: number]: number };
  readonly seconds: HistogramCount;
}

export class Meters {
  /** By the ids of accounts and carriers. Their names are found at the scrape. */
  readonly accounts = new Map<number, AccountMeter>();
  readonly carriers = new Map<number, CarrierMeter>();
  /** Tries of notifications by the id of the webhook, or for all sessions and all callbacks. */
  readonly tries = new Map<number | 'session' | 'callback', Counted<TryResult>>();
  /** HTTP requests by the path in the contract; empty for unknown paths. */
  readonly requests = new Map<string, RequestMeter>();
  readonly groupCommands = new HistogramCount(groupSizes);
  readonly groupSeconds = new HistogramCount(shortTimes);
  readonly commitSeconds = new HistogramCount(shortTimes);

  /** Call this after the commit of a command, or after its refusal. */
  applied(command: Command, result: AnyResult): void {
    switch (command.kind) {
      case 'accept':
        return this.#accepted(command, result);
      case 'outcome':
        return this.#outcome(command, result);
      case 'receipt':
        return this.#receipt(command, result);
      case 'inbound':
        if (result.ok) this.#carrier(command.carrier).inbound += 1;
        return;
      case 'notification-tried':
        if (result.ok) this.#tried(command);
        return;
      default:
    }
  }

  group({ commands, groupMs, commitMs }: GroupTimes): void {
    this.groupCommands.observe(commands);
    this.groupSeconds.observe(groupMs / secondMs);
    if (commitMs > 0) this.commitSeconds.observe(commitMs / secondMs);
  }

  refused(account: number, code: RejectionCode): void {
    add(this.#account(account).refused, code);
  }

  request(path: string, status: number, tookMs: number): void {
    let meter = this.requests.get(path);
    if (!meter) this.requests.set(path, (meter = { statuses: {}, seconds: new HistogramCount(shortTimes) }));
    meter.statuses[status] = (meter.statuses[status] ?? 0) + 1;
    meter.seconds.observe(tookMs / secondMs);
  }

  #accepted({ account, source, numParts, totalCost }: CommandOf<'accept'>, result: AnyResult): void {
    // A repeat with the same idempotency key makes no message.
    if (!result.ok || 'first' in (result.value ?? {})) return;
    const meter = this.#account(account);
    add(meter.messages, source);
    meter.parts += numParts;
    meter.charged += totalCost;
  }

  #outcome(command: CommandOf<'outcome'>, result: AnyResult): void {
    if (!result.ok || command.outcome === 'unsent') return;
    add(this.#carrier(command.carrier).outcomes, outcomeOf(command));
  }

  #receipt({ carrier, at, state }: CommandOf<'receipt'>, result: AnyResult): void {
    if (!result.ok) return;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the result of this command
    const { became, claimedAt } = (result as Extract<ResultOf<'receipt'>, { ok: true }>).value;
    const meter = this.#carrier(carrier);
    add(meter.receipts, became);
    if (claimedAt === undefined) return;
    meter.receiptSeconds.observe(Math.max(0, at - claimedAt) / secondMs);
    if (state === 'DELIVERED') meter.delivered += 1;
    else if (state !== null && endedStates.has(state)) meter.failed += 1;
  }

  #tried({ webhook, isCallback, isDelivered, due }: CommandOf<'notification-tried'>): void {
    const destination = webhook ?? (isCallback ? 'callback' : 'session');
    let counted = this.tries.get(destination);
    if (!counted) this.tries.set(destination, (counted = {}));
    if (isDelivered) add(counted, 'delivered');
    else add(counted, due === null ? 'dead' : 'failed');
  }

  #account(id: number): AccountMeter {
    let meter = this.accounts.get(id);
    if (!meter) this.accounts.set(id, (meter = { messages: {}, parts: 0, charged: 0n, refused: {} }));
    return meter;
  }

  #carrier(id: number): CarrierMeter {
    let meter = this.carriers.get(id);
    if (!meter) {
      meter = {
        outcomes: {},
        receipts: {},
        inbound: 0,
        delivered: 0,
        failed: 0,
        receiptSeconds: new HistogramCount(longTimes),
      };
      this.carriers.set(id, meter);
    }
    return meter;
  }
}

function add<Word extends string>(counted: Counted<Word>, word: Word): void {
  counted[word] = (counted[word] ?? 0) + 1;
}
