import { toMicros, zeroMicros, type Micros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { answerKeyOf, answerKeysOf, carrierIdKey, carrierIdKeys } from '@morsel/gateway/core/message/carrier-id.ts';
import type { IdRule } from '@morsel/gateway/core/routing/carrier.ts';
import type { Billed } from './read.ts';

/* Compares the invoice of a carrier with our records of the parts that it accepted. */

/** A part that the carrier accepted, or all parts that it accepted in one submit_sm. */
export interface Accepted {
  readonly msgId: number;
  readonly numParts: number;
  readonly carrierMessageId: string;
  readonly submittedAt: Instant;
  parts: number;
  /** Null if the cost of a part is not known. */
  cost: Micros | null;
  readonly currency: string | null;
}

export const differenceKinds = ['only-theirs', 'only-ours', 'other-price', 'other-parts'] as const;

export interface Difference {
  readonly kind: (typeof differenceKinds)[number];
  readonly line: number | null;
  readonly id: string;
  readonly msgId: number | null;
  readonly theirParts: number | null;
  readonly ourParts: number | null;
  readonly theirAmount: Micros | null;
  readonly ourAmount: Micros | null;
  readonly currency: string | null;
}

/** The accepted parts, one row for each message id of the carrier. */
export class AcceptedParts {
  readonly #byKey = new Map<string, Accepted>();
  /** The rows of each message of several parts, if each part has an id of its own. */
  readonly #byMessage = new Map<number, Accepted[]>();

  get size(): number {
    return this.#byKey.size;
  }

  /** Adds a part. Parts with the same id of the carrier were sent in one request, and become one row. */
  add(part: Accepted): void {
    const key = carrierIdKey(part.carrierMessageId);
    const earlier = this.#byKey.get(key);
    if (earlier) {
      earlier.parts += part.parts;
      earlier.cost = sumOf([earlier.cost, part.cost]);
      return;
    }
    this.#byKey.set(key, part);
    if (part.numParts === 1) return;
    const others = this.#byMessage.get(part.msgId);
    if (others) others.push(part);
    else this.#byMessage.set(part.msgId, [part]);
  }

  /** `isOurs` says whether a part that the carrier does not bill belongs to the period of the invoice. */
  compare(
    billed: readonly Billed[],
    { rule, isOurs }: { readonly rule: IdRule; readonly isOurs: (part: Accepted) => boolean },
  ): readonly Difference[] {
    const differences: Difference[] = [];
    const found = new Map<Billed, Accepted>();
    const covered = new Set<Accepted>();
    const take = (line: Billed, keys: readonly string[]) => {
      const part = keys.map((key) => this.#byKey.get(key)).find((each) => each !== undefined && !covered.has(each));
      if (part === undefined || found.has(line)) return;
      found.set(line, part);
      covered.add(part);
    };
    // Ids are first compared as they are written: no line of another message may take a part whose own line comes
    // later.
    for (const line of billed) take(line, carrierIdKeys(line.id));
    for (const line of billed) take(line, otherKeys(line, rule));
    for (const line of billed) {
      const part = found.get(line);
      if (part === undefined) differences.push(differenceOf('only-theirs', line, undefined));
      else {
        const ours = this.#billedBy(line, part, covered);
        for (const each of ours) covered.add(each);
        differences.push(...compareLine(line, ours));
      }
    }
    for (const part of this.#byKey.values())
      if (!covered.has(part) && isOurs(part)) differences.push(differenceOf('only-ours', undefined, [part]));
    return differences;
  }

  /** The parts that a line bills: one part, or a whole message under the id of one of its parts. */
  #billedBy(line: Billed, part: Accepted, covered: ReadonlySet<Accepted>): readonly Accepted[] {
    if (line.parts === part.parts || part.numParts === 1) return [part];
    const others = (this.#byMessage.get(part.msgId) ?? []).filter((each) => each !== part && !covered.has(each));
    return line.parts === part.parts + partsOf(others) ? [part, ...others] : [part];
  }
}

/** Other forms of an id, by the carrier's id rule. While no rule is known, all forms count. */
function otherKeys({ id }: Billed, rule: IdRule): readonly string[] {
  const keys = carrierIdKeys(id);
  if (rule === 'auto') return keys.flatMap(answerKeysOf);
  return keys.map((key) => answerKeyOf(key, rule) ?? key);
}

function compareLine(line: Billed, ours: readonly Accepted[]): Difference[] {
  if (partsOf(ours) !== line.parts) return [differenceOf('other-parts', line, ours)];
  if (line.amount === null) return [];
  const currency = ours[0]?.currency ?? null;
  const isSameMoney = line.currency === null || currency === line.currency;
  return isSameMoney && costOf(ours) === line.amount ? [] : [differenceOf('other-price', line, ours)];
}

function partsOf(parts: readonly Accepted[]): number {
  return parts.reduce((sum, each) => sum + each.parts, 0);
}

function costOf(parts: readonly Accepted[]): Micros | null {
  return sumOf(parts.map(({ cost }) => cost));
}

function sumOf(amounts: readonly (Micros | null)[]): Micros | null {
  return amounts.reduce((sum, each) => (sum === null || each === null ? null : toMicros(sum + each)), zeroMicros);
}

function differenceOf(
  kind: Difference['kind'],
  line: Billed | undefined,
  ours: readonly Accepted[] | undefined,
): Difference {
  const [part] = ours ?? [];
  return {
    kind,
    line: line?.line ?? null,
    id: line?.id ?? part?.carrierMessageId ?? '',
    msgId: part?.msgId ?? null,
    theirParts: line?.parts ?? null,
    ourParts: ours ? partsOf(ours) : null,
    theirAmount: line?.amount ?? null,
    ourAmount: ours ? costOf(ours) : null,
    currency: part?.currency ?? line?.currency ?? null,
  };
}
