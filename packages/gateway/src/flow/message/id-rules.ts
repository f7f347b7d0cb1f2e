/* Sets the id rule that unmatched receipts of a carrier show, off the path of receipts. */

import { localOwner } from '../../core/account/caller.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { Loop } from '../../runtime/loop.ts';
import { ownAction } from '../../state/decide/access/audit.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Tools } from '../ports.ts';

/** How often unmatched receipts are asked which id rule they show. */
const everyMs = 3 * secondMs;

export type IdRuleNeeds = Pick<Tools, 'log' | 'clock' | 'journal' | 'prices'> & {
  readonly reloadSnapshot: () => Promise<void>;
};

type Shown = ViewAnswer<'shownRules'>[number];

export function startFollowingIdRules(needs: IdRuleNeeds): Loop {
  return new Loop({ ...needs, name: 'look at ids of receipts', everyMs, turn: () => followIdRules(needs) });
}

/**
 * Stores which rules receipts show. A carrier without a rule of its own gets it by the operation that an operator would
 * use. For any other carrier an alarm proposes it. If the store refuses, the next look tries again.
 */
export async function followIdRules(needs: IdRuleNeeds): Promise<void> {
  const { journal, clock, prices } = needs;
  const found = await prices.ask('shownRules', undefined);
  for (const shown of found.ok ? found.value : []) {
    const { carrier, rule, pairs } = shown;
    if (carrier.learned !== rule)
      await journal.append<'show-rule'>({ kind: 'show-rule', at: clock.now(), carrier: carrier.id, rule, pairs });
    if (carrier.idRule === 'auto') await set(needs, shown);
  }
}

async function set({ journal, clock, log, reloadSnapshot }: IdRuleNeeds, shown: Shown): Promise<void> {
  const { rule, pairs } = shown;
  const { name: carrier } = shown.carrier;
  const at = clock.now();
  const input = { carrier, idRule: rule };
  const operation = 'carrier.set';
  const reason = 'unmatched receipts show this rule';
  const done = await journal.append<'operate'>({
    kind: 'operate',
    operation,
    at,
    by: localOwner.name,
    input,
    made: { shared: { idRule: rule } },
    audit: ownAction({ at, operation, carrier, reason, given: JSON.stringify(input) }),
  });
  if (!done.ok) return;
  await reloadSnapshot();
  log.info({ carrier, rule, receipts: pairs.length }, 'set the id rule that receipts of a carrier show');
}
