/* Notifies a receiver of alarms in the receiver's form, within a time limit. Only the answer's status is logged. */

import type { ReceiverKind } from '@morsel/api/admin/alarm/receiver.ts';
import { dayMs, minuteMs, secondMs } from '@morsel/api/values/time.ts';
import {
  fieldsOfNotice,
  headlineOf,
  linesOf,
  smsOf,
  summaryOf,
  type AlarmNotice,
  type AlarmReceiver,
  type NoticeResult,
} from '../../core/alarm/notice.ts';
import { accountNamed } from '../../core/named.ts';
import { keyOfSecret, signedHeaders } from '../../core/notification/signature.ts';
import { submit } from '../../flow/message/submit.ts';
import type { OperatorNeeds } from '../admin/operator-needs.ts';
import { Connections } from '../webhook/connections.ts';
import { lookup as byNameServers, type Lookup } from '../webhook/lookup.ts';
import { userAgent } from '../webhook/webhook-destination.ts';
import { sendMail } from './mail.ts';
import type { Tools } from '../../flow/ports.ts';

export interface NotifyNeeds extends Pick<OperatorNeeds, 'snapshot' | 'messages'>, Pick<Tools, 'clock' | 'journal'> {
  /** Looks up host names (default: asks the name servers). Tests give a function of their own. */
  readonly lookup?: Lookup;
}

/** A receiver that does not answer within this time counts as failed. */
export const notifyMaxMs = 15 * secondMs;
/** Alertmanager shows an alarm until the gateway closes it, at most for this time. */
const shownMaxMs = 30 * dayMs;
const testShownMs = 5 * minuteMs;

type Destination = (needs: NotifyNeeds, receiver: AlarmReceiver, notice: AlarmNotice) => Promise<NoticeResult>;

const destinations: { readonly [K in Exclude<ReceiverKind, 'alertmanager' | 'heartbeat'>]: Destination } = {
  webhook: (needs, receiver, notice) => {
    const content = JSON.stringify({ type: 'alarm', ...fieldsOfNotice(notice) });
    const key = keyOfSecret(receiver.secret ?? '');
    const keys = key.ok ? [key.value] : [];
    const headers = signedHeaders(keys, { id: notice.id, at: needs.clock.now(), content });
    return post({ ...needs, receiver, url: receiver.to }, content, headers);
  },
  email: ({ lookup = byNameServers }, receiver, notice) => {
    const mail = { subject: headlineOf(notice), text: linesOf(notice), id: notice.id };
    return sendMail(receiver, mail, { limitMs: notifyMaxMs, lookup });
  },
  sms: async ({ messages, journal, snapshot }, { name, to, account: payer, sender }, notice) => {
    const account = accountNamed(snapshot(), payer ?? '');
    if (!account.ok) return { isTaken: false, detail: `there is no account ${payer ?? ''}` };
    const text = smsOf(notice);
    const draft = {
      sender: sender ?? '',
      receiver: to,
      text,
      dcs: /^[ -_a-~]*$/.test(text) ? 'GSM' : 'UCS',
      idempotencyKey: `${notice.id} ${name}`,
    };
    const submission = { draft, source: 'operator', by: { name: 'alarms' } } as const;
    const sent = await submit({ ...messages, journal }, account.value, submission);
    return sent.ok
      ? { isTaken: true, detail: `message ${sent.value.msgId}` }
      : { isTaken: false, detail: `the message was refused: ${sent.error.code}` };
  },
};

/** Notifies a receiver of one alarm, or of several in one request. The URL of a heartbeat is called without content. */
export function notifyReceiver(
  needs: NotifyNeeds,
  receiver: AlarmReceiver,
  notices: readonly AlarmNotice[],
): Promise<NoticeResult> {
  // Alertmanager makes its own summaries.
  if (receiver.kind === 'alertmanager') return notifyAlertmanager(needs, receiver, notices);
  if (receiver.kind === 'heartbeat') return call({ ...needs, receiver, url: receiver.to }, { method: 'GET' });
  const [notice] = notices;
  const single = notice && notices.length === 1 ? notice : summaryOf(notices);
  return destinations[receiver.kind](needs, receiver, single);
}

function notifyAlertmanager(
  needs: NotifyNeeds,
  receiver: AlarmReceiver,
  notices: readonly AlarmNotice[],
): Promise<NoticeResult> {
  const { to, secret } = receiver;
  const alerts = notices.map(({ kind, severity, subject, evidence, help, openedAt, closedAt }) => ({
    labels: { alertname: kind, severity, subject, service: 'morsel' },
    annotations: { summary: evidence, description: help },
    startsAt: new Date(openedAt).toISOString(),
    endsAt: new Date(closedAt ?? openedAt + (kind === 'test' ? testShownMs : shownMaxMs)).toISOString(),
  }));
  const headers = secret === null ? {} : { authorization: `Bearer ${secret}` };
  const url = `${to.replace(/\/+$/, '')}/api/v2/alerts`;
  return post({ ...needs, receiver, url }, JSON.stringify(alerts), headers);
}

interface CallNeeds extends Pick<NotifyNeeds, 'clock' | 'lookup'> {
  readonly receiver: AlarmReceiver;
  readonly url: string;
}

type Headers = { readonly [name: string]: string };

function post(needs: CallNeeds, body: string, headers: Headers): Promise<NoticeResult> {
  return call(needs, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
}

/** Calls only public and allowed addresses, as webhooks do. */
async function call(
  { receiver, url, clock, lookup = byNameServers }: CallNeeds,
  { method, body, headers }: { readonly method: 'GET' | 'POST'; readonly body?: string; readonly headers?: Headers },
): Promise<NoticeResult> {
  const connections = new Connections(receiver.allow, { clock, lookup });
  const target = connections.targetOf(url);
  if (!target) return { isTaken: false, detail: 'the URL leads to an address that is not allowed: see --allow' };
  const { send, path, query } = target;
  const answer = await send({
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: { 'user-agent': userAgent, ...headers },
    body: body ?? null,
    limitMs: notifyMaxMs,
  });
  connections.destroy();
  if (answer.kind === 'failed') return { isTaken: false, detail: `no answer: ${answer.why}` };
  return { isTaken: answer.status >= 200 && answer.status < 300, detail: `HTTP ${answer.status}` };
}
