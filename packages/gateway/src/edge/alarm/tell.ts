/* Tells a receiver of an alarm in its own form, within a time limit. What a receiver answers gets into no log, only its status. */

import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import { dayMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import { fieldsOfNotice, headlineOf, linesOf, smsOf } from '../../core/alarm/notice.ts';
import type { AlarmNotice, AlarmReceiver, Told } from '../../core/alarm/notice.ts';
import { keyOfSecret, signaturesOf } from '../../core/notification/signature.ts';
import type { SendingNeeds } from '../../operator/message/send.ts';
import { accountNamed } from '../../operator/account/known-account.ts';
import type { Clock } from '../../runtime/clock.ts';
import { version } from '../../runtime/version.ts';
import { sendMail } from './mail.ts';
import { runProgram } from './program.ts';

export interface TellNeeds extends Pick<SendingNeeds, 'snapshot' | 'submit' | 'journal'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly dataDir: string;
}

/** A receiver that does not answer in this time did not take the alarm. */
export const tellMaxMs = 15 * secondMs;
/** Alertmanager shows an alarm until it closes, at most for this time. */
const shownMaxMs = 30 * dayMs;
const testShownMs = 5 * minuteMs;

type Destination = (needs: TellNeeds, receiver: AlarmReceiver, notice: AlarmNotice) => Promise<Told>;

const destinations: { readonly [K in ReceiverKind]: Destination } = {
  webhook: ({ clock }, { to, secret }, notice) => {
    const content = JSON.stringify({ type: 'alarm', ...fieldsOfNotice(notice) });
    const timestamp = Math.floor(clock.now() / secondMs);
    const key = keyOfSecret(secret ?? '');
    const keys = key.ok ? [key.value] : [];
    return post(to, content, {
      'webhook-id': notice.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signaturesOf(keys, { id: notice.id, timestamp, content }),
    });
  },
  alertmanager: (_needs, { to, secret }, notice) => {
    const { kind, severity, subject, evidence, help, openedAt, closedAt } = notice;
    const alert = {
      labels: { alertname: kind, severity, subject, service: 'morsel' },
      annotations: { summary: evidence, description: help },
      startsAt: new Date(openedAt).toISOString(),
      endsAt: new Date(closedAt ?? openedAt + (kind === 'test' ? testShownMs : shownMaxMs)).toISOString(),
    };
    const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
    return post(`${to.replace(/\/+$/, '')}/api/v2/alerts`, JSON.stringify([alert]), headers);
  },
  email: (_needs, receiver, notice) =>
    sendMail(receiver, { subject: headlineOf(notice), text: linesOf(notice), id: notice.id }, tellMaxMs),
  program: ({ dataDir }, { to }, notice) => runProgram(dataDir, to, { ...fieldsOfNotice(notice), limitMs: tellMaxMs }),
  sms: async ({ submit, journal, ...needs }, { name, to, account: payer, sender }, notice) => {
    const account = accountNamed(needs, payer ?? '');
    if (!account.ok) return { isTold: false, detail: `there is no account ${payer ?? ''}` };
    const text = smsOf(notice);
    const draft = {
      sender: sender ?? '',
      receiver: to,
      text,
      dcs: /^[ -_a-~]*$/.test(text) ? 'GSM' : 'UCS',
      idempotencyKey: `${notice.id} ${name}`,
    };
    const sent = await submit(account.value, draft, { name: 'alarms', journal });
    return sent.ok
      ? { isTold: true, detail: `message ${sent.value.msgId}` }
      : { isTold: false, detail: `the message was refused: ${sent.error.code}` };
  },
};

export function tellReceiver(needs: TellNeeds, receiver: AlarmReceiver, notice: AlarmNotice): Promise<Told> {
  return destinations[receiver.kind](needs, receiver, notice);
}

async function post(url: string, body: string, headers: { readonly [name: string]: string }): Promise<Told> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'user-agent': `morsel/${version}`, ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(tellMaxMs),
    });
    await answer.body?.cancel();
    return { isTold: answer.ok, detail: `HTTP ${answer.status}` };
  } catch (fault) {
    return { isTold: false, detail: `no answer: ${reasonOf(fault)}` };
  }
}

function reasonOf(fault: unknown): string {
  const cause = fault instanceof Error ? (fault.cause ?? fault) : fault;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return cause instanceof Error ? cause.name : 'unknown fault';
}
