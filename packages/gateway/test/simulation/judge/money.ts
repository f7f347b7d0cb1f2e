/* Judges the ledger: every message is charged once, and parts get back what the account's refund policy says. */

import type { RefundPolicy } from '@morsel/api/values/account.ts';
import { idOf } from '../clients/clients.ts';
import type { Submit } from '../carriers/records.ts';
import type { Case, Seen, SeenAccount } from './seen.ts';
import { isDoubt } from './submits.ts';
import type { Ledger, Told } from './told.ts';

export function judgeMoney(cases: readonly Case[], seen: Seen, told: Told): string[] {
  return seen.accounts.flatMap((account) => {
    const ledger = told.ledgers.get(account.name);
    if (!ledger) return [`M1: the ledger of ${account.name} is unknown`];
    const own = cases.filter(({ message }) => message.account === account.id);
    return [
      ...judgeBalance(account, ledger),
      ...judgeCharges(own, ledger),
      ...judgeRefunds(own, { account, ledger, seen, told }),
    ];
  });
}

function judgeBalance({ name }: SeenAccount, { entries, balance }: Ledger): string[] {
  const broken: string[] = [];
  let sum = 0n;
  for (const entry of entries) {
    sum += entry.amount;
    if (entry.balance !== sum)
      broken.push(`M1: entry ${entry.entry} of ${name} has balance ${entry.balance}, not ${sum}`);
    if (entry.kind === 'charge' && sum < 0n) broken.push(`M2: a charge takes ${name} to ${sum}`);
  }
  if (balance !== sum) broken.push(`M1: ${name} has ${balance}, and its entries ${sum}`);
  return broken;
}

function judgeCharges(cases: readonly Case[], { entries }: Ledger): string[] {
  const broken: string[] = [];
  const charged = entries.flatMap((entry) => entry.charged ?? []);
  const byId = Map.groupBy(charged, ({ msgId }) => msgId);
  for (const [id, charges] of byId) if (charges.length > 1) broken.push(`M3: ${id} is charged ${charges.length} times`);
  for (const { message, name } of cases) {
    for (const outcome of message.outcomes) {
      if (outcome.kind !== 'accepted') continue;
      const { answer } = outcome;
      const [charge] = byId.get(String(answer.msgId)) ?? [];
      if (!charge) broken.push(`M3: ${name} was accepted, and is not charged`);
      else if (charge.cost !== answer.totalCost) broken.push(`M3: ${name} is charged ${charge.cost}`);
      else if (charge.balance !== answer.clientBalance)
        broken.push(`M6: ${name} got the balance ${answer.clientBalance}, and the ledger has ${charge.balance}`);
    }
  }
  for (const entry of entries) {
    if (entry.kind !== 'charge') continue;
    const sum = entry.charged?.reduce((all, { cost }) => all + cost, 0n) ?? 0n;
    if (sum !== -entry.amount) broken.push(`M3: entry ${entry.entry} takes ${-entry.amount} for messages of ${sum}`);
  }
  return broken;
}

function judgeRefunds(
  cases: readonly Case[],
  {
    account,
    ledger,
    seen,
    told,
  }: { readonly account: SeenAccount; readonly ledger: Ledger; readonly seen: Seen; readonly told: Told },
): string[] {
  const broken: string[] = [];
  const refunds = Map.groupBy(
    ledger.entries.filter(({ kind }) => kind === 'refund'),
    ({ msgId, part }) => `${msgId}/${part}`,
  );
  for (const [part, entries] of refunds) {
    if (entries.length > 1) broken.push(`M3: ${part} is refunded ${entries.length} times`);
    for (const { amount } of entries)
      if (Number(amount) !== seen.unitPrice) broken.push(`M3: ${part} gets ${amount} back`);
  }
  for (const { message, name, parts } of cases) {
    const id = idOf(message);
    const item = id === undefined ? undefined : told.messages.get(id);
    if (!item) continue;
    const isCalm = !seen.crashes.some((at) => at >= message.sentAt);
    for (let place = 1; place <= item.numParts; place++) {
      const isRefunded = refunds.has(`${id}/${place}`);
      const part = `${name} part ${place}`;
      const submits = parts.get(place) ?? [];
      if (isRefunded && !mayRefund(submits, account.refundPolicy))
        broken.push(`M3: ${part} is refunded without a reason`);
      if (!isRefunded && isCalm && mustRefund(submits, account.refundPolicy))
        broken.push(`M3: ${part} is not refunded`);
    }
  }
  return broken;
}

/** A part in doubt is never refunded, and the rest depends on whether a carrier got it, took it or failed it. */
function mayRefund(submits: readonly Submit[], policy: RefundPolicy): boolean {
  if (policy === 'never' || submits.some((submit) => isDoubt(submit) && !submit.isLate)) return false;
  const reached = submits.filter(({ verdict }) => verdict === 'accepted' || verdict === 'refused');
  if (policy === 'unsent') return reached.length === 0;
  const accepted = submits.filter(({ verdict }) => verdict === 'accepted');
  return accepted.length === 0 || (policy === 'undelivered' && accepted.some(({ receipts }) => hasFailed(receipts)));
}

/** Nothing is in doubt, and no carrier took the part. */
function mustRefund(submits: readonly Submit[], policy: RefundPolicy): boolean {
  if (policy === 'never' || submits.some((submit) => isDoubt(submit) || submit.verdict === 'accepted')) return false;
  return policy !== 'unsent' || !submits.some(({ verdict }) => verdict === 'refused');
}

function hasFailed(receipts: Submit['receipts']): boolean {
  return receipts.some(({ state }) => state !== 'DELIVERED' && state !== 'ENROUTE');
}
