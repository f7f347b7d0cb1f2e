/* Decisions of the operations on receivers of alarms. */

import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import type { alarmReceiver } from '@morsel/api/admin/alarm/receiver.ts';
import { ok, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { mailServerOf } from '../../../core/alarm/mail-server.ts';
import { keyOfSecret } from '../../../core/notification/signature.ts';
import { parseWebhookUrl, reasonOfHost } from '../../../core/notification/webhook-url.ts';
import { seal } from '../../rows/keys.ts';
import { accountByName } from '../../tables/account.ts';
import {
  alarmReceiverByName,
  alarmReceiverTable,
  allAlarmReceivers,
  noticesFor,
  type AlarmReceiverRow,
} from '../../tables/alarm/alarm.ts';
import { touch, type Rows } from '../../rows/rows.ts';
import { noAccount } from '../../../core/named.ts';
import { conflict, exists, missing, present, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';
import { checkRanges } from '../notification/allowed-ranges.ts';
import { ofAlarms } from './alarm.ts';

type Given = InputOf<typeof alarmReceiver.operations.add>;

/** The most receivers. Each alarm has a notification for each of them. */
export const receiversMax = 50;
const mailAddress = /^[^\s,<>"]{1,200}@[^\s,<>"]{1,200}$/;
const untried = { triedAt: null, failingSince: null, outcome: null, tries: [] };

/** What the caller makes for a new receiver, outside the decision. */
interface MadeReceiver {
  /** The secret of a webhook whose request has none. */
  readonly secret: string;
  /** The receiver's phone number, parsed by the number plan. */
  readonly number: Result<unknown, Rejection>;
}

const add: Decision<'alarmReceiver.add', MadeReceiver> = (rows, given, { at, made }) => {
  const right = checkReceiver(rows, given, made);
  if (!right.ok) return right;
  if (rows.all(allAlarmReceivers).length >= receiversMax)
    return conflict(`there are ${receiversMax} receivers already: remove one first`);
  const { receiver: name, secret: chosen, ...settings } = given;
  if (rows.one(alarmReceiverByName, name)) return exists(`there is a receiver named ${name} already`);
  const id = rows.nextId(alarmReceiverTable);
  const newSecret = given.kind === 'webhook' && chosen === undefined ? made.secret : null;
  const secret = newSecret ?? chosen ?? null;
  const sealed = secret === null ? null : seal(rows, { account: null, column: 'alarm_receiver.secret', id }, secret);
  const row = rows.add(alarmReceiverTable, { ...settings, ...untried, name, id, createdAt: at, secret: sealed });
  return ok({ ...receiverShown(row), secret: newSecret });
};

const set: Decision<'alarmReceiver.set'> = (rows, { receiver: name, ...settings }) => {
  const row = rows.one(alarmReceiverByName, name);
  if (!row) return noReceiver(name);
  const changes = present(settings);
  const place = checkPlace({ ...row, ...changes });
  if (!place.ok) return place;
  Object.assign(row, changes);
  touch(row);
  return ok(receiverShown(row));
};

const remove: Decision<'alarmReceiver.remove'> = (rows, { receiver: name }) => {
  const row = rows.one(alarmReceiverByName, name);
  if (!row) return noReceiver(name);
  row.change = 'gone';
  for (const notice of rows.all(noticesFor, name)) {
    notice.due = null;
    notice.outcome = 'the receiver was removed';
    touch(notice);
  }
  return ok({ receiver: name });
};

export const alarmReceiverDecisions = {
  'alarmReceiver.add': { ...ofAlarms, decide: add },
  'alarmReceiver.set': { ...ofAlarms, decide: set },
  'alarmReceiver.remove': { ...ofAlarms, decide: remove },
};

export function noReceiver(name: string): Decided<never> {
  return missing(`there is no receiver named ${name}`);
}

/** A receiver without its secret, but with the result of the last try. */
export function receiverShown({
  name: receiver,
  secret: _secret,
  tries: _tries,
  change: _change,
  ...row
}: Omit<AlarmReceiverRow, 'secret'> & { readonly secret: unknown }): AnswerOf<typeof alarmReceiver.operations.set> {
  const state = row.outcome === null ? 'untried' : row.failingSince === null ? 'working' : 'failing';
  return { receiver, ...row, state };
}

/** Checks that a receiver has the settings that its kind needs. */
function checkReceiver(rows: Rows, given: Given, { number }: MadeReceiver): Decided<unknown> {
  const { kind, to, sender, secret, account } = given;
  const place = checkPlace(given);
  if (!place.ok) return place;
  switch (kind) {
    case 'webhook':
    case 'heartbeat':
    case 'alertmanager': {
      const key = kind === 'webhook' && secret !== undefined ? keyOfSecret(secret) : ok(null);
      return key.ok ? ok(null) : invalid('secret', key.error);
    }
    case 'email': {
      if (!to.split(',').every((each) => mailAddress.test(each.trim())))
        return invalid('to', 'must be mail addresses, separated by commas');
      return mailAddress.test(sender ?? '') ? ok(null) : invalid('sender', 'must be the mail address of the sender');
    }
    case 'sms': {
      if (!number.ok) return number;
      if (sender === null) return invalid('sender', 'must be the sender of the SMS');
      if (account === null) return invalid('account', 'must be the account that sends and pays for the SMS');
      return rows.one(accountByName, account) ? ok(null) : noAccount(account);
    }
  }
}

/** Refuses an address that is neither public nor allowed. Host names are resolved later, at each try. */
function checkPlace({ kind, to, server, allow }: Pick<Given, 'kind' | 'to' | 'server' | 'allow'>): Decided<null> {
  const narrow = checkRanges(allow);
  if (!narrow.ok) return narrow;
  if (kind === 'webhook' || kind === 'alertmanager' || kind === 'heartbeat') {
    const url = parseWebhookUrl(to, allow);
    return url.ok ? ok(null) : invalid('to', url.error);
  }
  if (kind !== 'email') return ok(null);
  const place = mailServerOf(server ?? '');
  if (!place) return invalid('server', 'must be smtp://host:port or smtps://host:port');
  const reason = reasonOfHost(place.host, allow);
  return reason === undefined ? ok(null) : invalid('server', reason);
}
