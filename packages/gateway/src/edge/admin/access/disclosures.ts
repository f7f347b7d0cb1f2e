import { hash } from 'node:crypto';
import { hourMs } from '@morsel/api/values/time.ts';
import { RecentTable } from '../../../core/base/recent-table.ts';
import type { Caller } from '../../../core/account/caller.ts';
import type { Clock } from '../../../runtime/clock.ts';

/** A repeated disclosure gets no entry in this time: the console asks for an open message every few seconds. */
const keptMs = hourMs;
const keptMax = 10_000;

interface Needs {
  readonly caller: Caller;
  readonly clock: Clock;
}

interface Request {
  readonly name: string;
  readonly values: { readonly [field: string]: unknown };
}

/** Recent answers with personal data that have an entry in the audit log. All pages of a list are one disclosure. */
export class Disclosures {
  readonly #recent = new RecentTable(keptMs, keptMax);

  has({ caller, clock }: Needs, request: Request): boolean {
    return this.#recent.sum(keyOf(caller, request), clock.monotonicMs()) > 0;
  }

  add({ caller, clock }: Needs, request: Request): void {
    this.#recent.add(keyOf(caller, request), clock.monotonicMs());
  }
}

function keyOf({ name, key, address, reason }: Caller, request: Request): string {
  const { after: _after, ...values } = request.values;
  return hash('sha256', JSON.stringify([name, key, address, reason, request.name, values]));
}
