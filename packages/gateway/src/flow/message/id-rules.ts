/* Sets the id rule that unmatched receipts of a carrier show, off the path of receipts. */

import { localOwner } from '../../core/account/caller.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { AuditContext } from '../../state/decide/access/audit.ts';
import type { ViewAnswer } from '../../store/views/views.ts';
import type { Tools } from '../ports.ts';

export type IdRuleNeeds = Pick<Tools, 'log' | 'clock' | 'journal' | 'prices'> & {
  readonly reloadSnapshot: () => Promise<void>;
};

type Shown = ViewAnswer<'shownRules'>[number];

/**
 * Stores which rules receipts show. A carrier without a rule of its own gets it by the operation that an operator would
 * use. For any other carrier an alarm proposes it.
 */
export async function followIdRules(needs: IdRuleNeeds): Promise<void> {
  const found = await needs.prices.ask('shownRules', undefined);
  for (const shown of found.ok ? found.value : []) {
    if (shown.carrier.learned !== shown.rule && !(await keep(needs, shown))) continue;
    if (shown.carrier.idRule === 'auto') await set(needs, shown);
  }
}

async function keep({ journal, clock }: IdRuleNeeds, { carrier, rule, pairs }: Shown): Promise<boolean> {
  const command = { kind: 'show-rule', at: clock.now(), carrier: carrier.id, rule, pairs } as const;
  return (await journal.append<'show-rule'>(command)).ok;
}

async function set(needs: IdRuleNeeds, { carrier: { name: carrier }, rule, pairs }: Shown): Promise<void> {
  const at = needs.clock.now();
  const input = { carrier, idRule: rule };
  const made = { settings: { idRule: rule }, profile: {} };
  const done = await needs.journal.append<'operate'>({
    kind: 'operate',
    operation: 'carrier.set',
    at,
    by: localOwner.name,
    input,
    made,
    audit: auditOf(at, input),
  });
  if (!done.ok) return;
  await needs.reloadSnapshot();
  needs.log.info({ carrier, rule, receipts: pairs.length }, 'set the id rule that receipts of a carrier show');
}

function auditOf(at: Instant, input: { readonly carrier: string }): AuditContext {
  const { name: operator, role, key: operatorKey, idempotencyKey: _key, ...who } = localOwner;
  const about = { account: null, carrier: input.carrier, given: JSON.stringify(input) };
  const reason = 'unmatched receipts show this rule';
  return { ...who, ...about, at, operator, role, operatorKey, reason, operation: 'carrier.set', isFirst: true };
}
