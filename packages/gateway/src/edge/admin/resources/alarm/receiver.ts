import type { alarmReceiver } from '@morsel/api/admin/alarm/receiver.ts';
import type { AnswerOf, InputOf } from '@morsel/api/admin/resource.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { AlarmNotice, Told } from '../../../../core/alarm/notice.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { keyOfSecret, makeSecret, secretBytes } from '../../../../core/notification/signature.ts';
import { parseWebhookUrl, reasonOfHost } from '../../../../core/notification/webhook-url.ts';
import { parseReceiver } from '../../../../core/number/address.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';
import { checkRanges } from '../../../../operator/notification/webhook-settings.ts';
import { invalid, present } from '../../../../state/decide/decided.ts';
import { mailServerOf } from '../../../alarm/mail.ts';
import { tellReceiver } from '../../../alarm/tell.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of the receivers of alarms. */

type Given = InputOf<typeof alarmReceiver.operations.add>;
type Shown = AnswerOf<typeof alarmReceiver.operations.set>;

/** The most receivers. Each alarm has a notification for each of them. */
const receiversMax = 50;
const mailAddress = /^[^\s,<>"]{1,200}@[^\s,<>"]{1,200}$/;

export const alarmReceiverHandlers: Handlers<'alarmReceiver'> = {
  add: async (needs, given) => {
    const { journal, reader, clock, random } = needs;
    const right = await checked(needs, given);
    if (!right.ok) return right;
    const known = await reader.ask('alarmReceivers', undefined);
    if (!known.ok) return known;
    if (known.value.length >= receiversMax)
      return refused({ code: 'conflict', detail: `there are ${receiversMax} receivers already: remove one first` });
    const { receiver: name, kind, secret: chosen, ...settings } = given;
    const made = kind === 'webhook' && chosen === undefined ? makeSecret(random.bytes(secretBytes)) : null;
    const at = clock.now();
    const added = { at, receiver: { name, kind, ...settings }, secret: made ?? chosen ?? null };
    const done = await journal.append<'add-alarm-receiver'>({ kind: 'add-alarm-receiver', ...added });
    if (!done.ok) return done;
    const tried = await tryReceiver(needs, name);
    if (!tried.ok) return tried;
    const shown = await shownReceiver(needs, name);
    return shown.ok ? ok({ ...shown.value, secret: made }) : shown;
  },
  set: async (needs, { receiver: name, ...given }) => {
    const settings = present(given);
    const before = await needs.reader.ask('alarmReceiver', name);
    if (!before.ok) return before;
    const place = before.value ? checkPlace({ ...before.value, ...settings }) : ok(null);
    if (!place.ok) return place;
    const done = await needs.journal.append<'set-alarm-receiver'>({ kind: 'set-alarm-receiver', name, settings });
    return done.ok ? shownReceiver(needs, name) : done;
  },
  list: async ({ reader }) => {
    const found = await reader.ask('alarmReceivers', undefined);
    return found.ok ? ok({ items: found.value, next: null }) : found;
  },
  test: async (needs, { receiver }) => {
    const tried = await tryReceiver(needs, receiver);
    if (!tried.ok) return tried;
    const { isTold, detail } = tried.value;
    if (isTold) return ok({ receiver, outcome: detail });
    return refused({ code: 'conflict', detail: `${receiver} did not take the test alarm: ${detail}` });
  },
  remove: async ({ journal }, { receiver }) => {
    const done = await journal.append<'remove-alarm-receiver'>({ kind: 'remove-alarm-receiver', name: receiver });
    return done.ok ? ok({ receiver }) : done;
  },
};

/** Sends a test notification, and stores what came of it. */
async function tryReceiver(needs: OperatorNeeds, name: string): Promise<Result<Told, Rejection>> {
  const { reader, journal, clock } = needs;
  const found = await reader.ask('alarmReceiver', name);
  if (!found.ok) return found;
  if (!found.value) return unknownReceiver(name);
  const told = await tellReceiver(needs, found.value, [testNotice(clock.now())]);
  const tried = { at: clock.now(), receiver: name, told, notices: [] };
  const done = await journal.append<'receiver-tried'>({ kind: 'receiver-tried', ...tried });
  return done.ok ? ok(told) : done;
}

async function shownReceiver(
  { reader }: Pick<OperatorNeeds, 'reader'>,
  receiver: string,
): Promise<Result<Shown, Rejection>> {
  const found = await reader.ask('alarmReceivers', undefined);
  if (!found.ok) return found;
  const row = found.value.find((each) => each.receiver === receiver);
  return row ? ok(row) : unknownReceiver(receiver);
}

function unknownReceiver(name: string): Result<never, Rejection> {
  return refused({ code: 'does_not_exist', detail: `there is no receiver named ${name}` });
}

/** What a test of a receiver sends. */
export function testNotice(now: number): AlarmNotice {
  return {
    id: `alarm-test-${now}`,
    turn: 'opened',
    kind: 'test',
    severity: 'warning',
    subject: 'gateway',
    evidence: 'an operator tests this receiver',
    help: 'morsel alarm list',
    openedAt: now,
    closedAt: null,
  };
}

/** Each kind needs its own settings. */
async function checked(needs: OperatorNeeds, given: Given): Promise<Result<null, Rejection>> {
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
      const number = parseReceiver(to);
      if (!number.ok) return number;
      if (sender === null) return invalid('sender', 'must be the sender of the SMS');
      if (account === null) return invalid('account', 'must be the account that sends and pays for the SMS');
      const known = await knownAccount(needs, account);
      return known.ok ? ok(null) : known;
    }
  }
}

/** Refuses a place that is neither public nor allowed. Names are looked up at each try. */
function checkPlace({
  kind,
  to,
  server,
  allow,
}: Pick<Given, 'kind' | 'to' | 'server' | 'allow'>): Result<null, Rejection> {
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
