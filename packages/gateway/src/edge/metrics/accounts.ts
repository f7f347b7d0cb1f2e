/* The metrics of accounts, and of the notifications to their webhooks and sessions. */

import { secondMs } from '@morsel/api/values/time.ts';
import type { WaitingFigure } from '../../store/views/running/figures.ts';
import { many, type DeclaredMetric, type Sample } from './declare.ts';
import type { Frame } from './frame.ts';
import { shownCode } from '../refusals.ts';
import type { AccountMeter } from '../../flow/metrics/meters.ts';

const microsPerUnit = 1_000_000;

export const accountMetrics: readonly DeclaredMetric[] = [
  many(
    'counter',
    {
      name: 'morsel_account_messages_total',
      labels: ['account', 'source'],
      help: 'Accepted messages, by the way they came.',
    },
    (frame) =>
      ofMeters(frame, ({ messages }) => Object.entries(messages).map(([source, count]) => [{ source }, count])),
  ),
  many(
    'counter',
    { name: 'morsel_account_parts_total', labels: ['account'], help: 'Parts of accepted messages.' },
    (frame) => ofMeters(frame, ({ parts }) => [[{}, parts]]),
  ),
  many(
    'counter',
    {
      name: 'morsel_account_charged_total',
      labels: ['account', 'currency'],
      help: 'Charges for accepted messages, in units of the currency, without refunds.',
    },
    (frame) => ofMeters(frame, ({ charged }, currency) => [[{ currency }, Number(charged) / microsPerUnit]]),
  ),
  many(
    'counter',
    {
      name: 'morsel_account_refused_total',
      labels: ['account', 'code'],
      help: 'Refused messages, by the code of the refusal.',
    },
    (frame) =>
      ofMeters(frame, ({ refused }) =>
        Object.entries(refused).map(([code, count]) => [{ code: shownCode(code) }, count]),
      ),
  ),
  many(
    'counter',
    {
      name: 'morsel_notification_tries_total',
      labels: ['account', 'destination', 'result'],
      help: 'Tries to deliver a notification: delivered, failed (tried again later), or dead (given up).',
    },
    ({ meters, snapshot, accountLabel }) =>
      [...meters.tries].flatMap(([webhook, results]) => {
        const destination = webhook === 0 ? 'session' : 'webhook';
        const account = snapshot.webhooks.get(webhook)?.account;
        const labels = { account: account === undefined ? '' : accountLabel(account), destination };
        return Object.entries(results).map(([result, count]) => [{ ...labels, result }, count] as const);
      }),
  ),
  ofDestinations(
    'morsel_destination_waiting_notifications',
    'Notifications that wait for delivery, up to 1000 for each webhook.',
    ({ waiting }) => waiting,
  ),
  ofDestinations(
    'morsel_destination_oldest_waiting_seconds',
    'Age of the oldest notification that waits for delivery; 0 if none waits.',
    ({ oldest }, now) => (oldest === null ? 0 : Math.max(0, now - oldest) / secondMs),
  ),
];

function ofMeters(
  { meters, snapshot, accountLabel }: Frame,
  read: (meter: AccountMeter, currency: string) => readonly Sample<number>[],
): readonly Sample<number>[] {
  return [...meters.accounts].flatMap(([id, meter]) => {
    const account = accountLabel(id);
    const samples = read(meter, snapshot.accounts.get(id)?.currency ?? '');
    return samples.map(([labels, value]): Sample<number> => [{ account, ...labels }, value]);
  });
}

/** One sample for all webhooks of an account, and one for its sessions: the largest value of each kind. */
function ofDestinations(
  name: string,
  help: string,
  read: (figure: WaitingFigure, now: number) => number,
): DeclaredMetric {
  return many('gauge', { name, help, labels: ['account', 'destination'] }, (frame) => {
    const { figures, snapshot, accountLabel, now } = frame;
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
    return [...largest.values()];
  });
}
