/* The metrics of accounts, and of the notifications to their webhooks and sessions. */

import { secondMs } from '@morsel/api/values/time.ts';
import type { WaitingFigure } from '../../store/views/running/figures.ts';
import { many, type DeclaredMetrics, type DeclaredNumber, type Sample } from './declare.ts';
import { shownCode } from '../refusals.ts';
import type { AccountMeter } from '../../flow/metrics/meters.ts';

const microsPerUnit = 1_000_000;

export const accountMetrics: DeclaredMetrics = {
  morsel_account_messages_total: ofMeters('Accepted messages, by the way they came.', ['source'], ({ messages }) =>
    Object.entries(messages).map(([source, count]) => [{ source }, count]),
  ),
  morsel_account_parts_total: ofMeters('Parts of accepted messages.', [], ({ parts }) => [[{}, parts]]),
  morsel_account_charged_total: ofMeters(
    'Charges for accepted messages, in units of the currency, without refunds.',
    ['currency'],
    ({ charged }, currency) => [[{ currency }, Number(charged) / microsPerUnit]],
  ),
  morsel_account_refused_total: ofMeters('Refused messages, by the code of the refusal.', ['code'], ({ refused }) =>
    Object.entries(refused).map(([code, count]) => [{ code: shownCode(code) }, count]),
  ),
  morsel_notification_tries_total: many(
    'Tries to deliver a notification: delivered, failed (tried again later), or dead (given up).',
    ['account', 'destination', 'result'],
    ({ meters, snapshot, accountLabel }) =>
      [...meters.tries].flatMap(([tried, results]) => {
        const destination = typeof tried === 'number' ? 'webhook' : tried;
        const account = typeof tried === 'number' ? snapshot.webhooks.get(tried)?.account : undefined;
        const labels = { account: account === undefined ? '' : accountLabel(account), destination };
        return Object.entries(results).map(([result, count]) => [{ ...labels, result }, count] as const);
      }),
  ),
  morsel_destination_waiting_notifications: ofDestinations(
    'Notifications that wait for delivery, up to 1000 for each webhook.',
    ({ waiting }) => waiting,
  ),
  morsel_destination_oldest_waiting_seconds: ofDestinations(
    'Age of the oldest notification that waits for delivery; 0 if none waits.',
    ({ oldest }, now) => (oldest === null ? 0 : Math.max(0, now - oldest) / secondMs),
  ),
};

function ofMeters(
  help: string,
  labels: readonly string[],
  read: (meter: AccountMeter, currency: string) => readonly Sample<number>[],
): DeclaredNumber {
  return many(help, ['account', ...labels], ({ meters, snapshot, accountLabel }) =>
    [...meters.accounts].flatMap(([id, meter]) => {
      const account = accountLabel(id);
      const samples = read(meter, snapshot.accounts.get(id)?.currency ?? '');
      return samples.map(([more, value]): Sample<number> => [{ account, ...more }, value]);
    }),
  );
}

/** One sample for all webhooks of an account, one for its sessions, and one for its callbacks: the largest of a kind. */
function ofDestinations(help: string, read: (figure: WaitingFigure, now: number) => number): DeclaredNumber {
  return many(help, ['account', 'destination'], ({ figures, snapshot, accountLabel, now }) => {
    const largest = new Map<string, Sample<number>>();
    const take = (id: number | undefined, destination: string, figure: WaitingFigure) => {
      if (id === undefined) return;
      const account = accountLabel(id);
      const key = `${destination} ${account}`;
      const value = Math.max(read(figure, now), largest.get(key)?.[1] ?? 0);
      largest.set(key, [{ account, destination }, value]);
    };
    for (const each of figures?.webhooks ?? []) take(snapshot.webhooks.get(each.id)?.account, 'webhook', each);
    for (const each of figures?.sessions ?? []) take(each.id, 'session', each);
    for (const each of figures?.callbacks ?? []) take(each.id, 'callback', each);
    return [...largest.values()];
  });
}
