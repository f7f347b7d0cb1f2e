import { entryKinds, showMicros } from '../../values/money.ts';
import { ok } from '../../values/result.ts';
import { accountName, timeZone } from '../account/settings.ts';
import { optional, orNone, pick, rows } from '../../fields/compose.ts';
import type { About, Field, Values } from '../../fields/field.ts';
import {
  amount,
  amountMax,
  ascii,
  count,
  currency,
  fieldOf,
  flag,
  instant,
  oneOf,
  place,
  sentence,
  text,
} from '../../fields/fields.ts';
import { echoFields } from '../message/message-fields.ts';
import { get, post, resource } from '../resource.ts';

/* Top-ups and adjustments of an account, its past and present balances, and its statements. */

const reasonMax = 200;
/** The longest idempotency key of a posting, as for the Idempotency-Key of a message. */
const keyMax = 255;

export const chargedFields = {
  msgId: text({ label: 'Message', summary: 'msgId of the message', example: '904907980800001' }),
  receiver: text({ summary: 'receiver of the message', isPersonal: 'number', example: '+41791112233' }),
  parts: count({ summary: 'number of parts of the message' }),
  unitPrice: amount({ summary: 'price of one part' }),
  cost: amount({ summary: 'price of all parts of the message' }),
  balance: amount({ summary: 'balance after the charge for this message' }),
  ...echoFields,
};

export const entryFields = {
  entry: count({ summary: 'id of the entry' }),
  at: instant({ summary: 'when the entry was posted' }),
  kind: oneOf(entryKinds, { summary: 'kind of the entry' }),
  amount: amount({ summary: 'amount of the entry; negative if it lowers the balance' }),
  balance: amount({ summary: 'balance of the account after the entry' }),
  messages: count({ summary: 'number of messages that the entry charges or refunds' }),
  parts: count({ summary: 'number of parts that the entry charges or refunds' }),
  msgId: orNone(text({ label: 'Message', summary: 'msgId of the refunded message', example: '904907980800001' })),
  part: orNone(count({ summary: 'number of the refunded part' })),
  reason: text({ summary: 'reason for the entry', example: 'invoice 1203' }),
  actor: text({ summary: 'operator who posted the entry', example: 'jane' }),
  key: orNone(text({ summary: 'idempotency key of the entry', example: 'invoice-1203' })),
  charged: optional(rows(chargedFields, { summary: 'messages that the entry charges' })),
};

const account = { account: accountName };
const accountCurrency = currency({ summary: 'currency of the account' });
const zone = optional(
  timeZone({ summary: 'time zone of the given days, such as Europe/Zurich', defaultText: 'time zone of the account' }),
);
const reason = sentence({ max: reasonMax, summary: 'reason, which is stored in the ledger', example: 'invoice 1203' });
const key = optional(
  ascii({
    min: 1,
    max: keyMax,
    summary: 'idempotency key: a repeated posting with the same key changes nothing',
    isIdempotencyKey: true,
    example: 'invoice-1203',
  }),
);

const toAdd = amount({ summary: 'amount to add, in the currency of the account' });
/** Only the schema has the lower limit: the gateway's own refusal also names `account adjust`. */
const topUpAmount = {
  ...toAdd,
  schema: { type: 'number', exclusiveMinimum: 0, maximum: amountMax, description: toAdd.schema['description'] },
};

const moved = {
  ...account,
  ...pick(entryFields, 'amount', 'balance', 'entry'),
  replayed: flag({
    summary: 'whether an earlier request with this key made the posting, so this request changed nothing',
  }),
};

function movedText(posted: Values<typeof moved>): string {
  const before = posted.replayed ? ', posted earlier with this key' : '';
  const [balance, by] = [moved.balance.cell(posted.balance), moved.amount.cell(posted.amount)];
  return `account ${posted.account} has ${balance} after ${by} (entry ${posted.entry}${before})`;
}

/** A time, or a day alone. The gateway converts a day, because it knows the time zone of the account. */
function timeOrDay(about: About): Field<string, 'must'> {
  const time = instant(about);
  return fieldOf<string>(about, {
    placeholder: time.placeholder,
    schema: { type: 'string' },
    example: '2026-01-01',
    read: (given) => {
      const read = time.read(given);
      return read.ok ? ok(String(given)) : read;
    },
    json: (value) => value,
    fromJson: String,
  });
}

export const posting = resource('posting', {
  changes: ['account', 'ledger'],
  summary: 'Top-ups, adjustments, balances and statements of accounts',
  command: 'account',
  operations: {
    topUp: post('/accounts/{account}/top-up', {
      repeat: 'key',
      summary: 'Add an amount to the balance of an account',
      role: 'finance',
      input: {
        ...account,
        amount: topUpAmount,
        reason: optional(reason, 'top-up'),
        key,
      },
      answer: moved,
      command: {
        arguments: ['account', 'amount'],
        examples: {
          'account top-up acme 50 --reason "invoice 1203"': 'add 50 to the balance of acme',
          'account top-up acme 50 --key invoice-1203': 'add 50 only once, even if a script repeats the command',
        },
        says: movedText,
      },
    }),
    adjust: post('/accounts/{account}/adjust', {
      repeat: 'key',
      summary: 'Raise or lower the balance of an account, with a reason',
      role: 'finance',
      input: {
        ...account,
        amount: amount({ summary: 'amount to add; a negative amount lowers the balance' }),
        reason,
        key,
        force: optional(
          flag({ label: 'Below the credit limit', summary: 'allow the balance to fall below the credit limit' }),
          false,
        ),
      },
      answer: moved,
      command: {
        examples: {
          'account adjust acme --amount -1.50 --reason "posted twice"': 'lower the balance of acme by 1.50',
          'account adjust acme --amount 3 --reason "goodwill" --key goodwill-7':
            'add 3 only once, even if a script repeats the command',
        },
        says: movedText,
      },
    }),
    statement: get('/accounts/{account}/statement', {
      summary: 'Show the ledger entries of an account, with the balance before and after them',
      role: 'finance',
      input: {
        ...account,
        from: optional(
          timeOrDay({
            summary: 'start of the statement: a time, or a day such as 2026-01-01',
            defaultText: 'the first entry',
          }),
        ),
        to: optional(
          timeOrDay({ summary: 'end of the statement: only entries before this time or day', defaultText: 'now' }),
        ),
        zone,
        messages: optional(flag({ summary: 'also list each message of each charge' }), false),
        after: optional(place(/^\d{1,16}\/\d{1,16}$/, { typed: [], example: '1000/4711' })),
      },
      answer: {
        ...account,
        from: orNone(instant({ summary: 'start of the statement; null for the first entry' })),
        to: instant({ summary: 'end of the statement; entries at this time are not included' }),
        currency: accountCurrency,
        opening: amount({ summary: 'balance before the first entry of this page' }),
        closing: amount({ summary: 'balance after the last entry of all pages' }),
        entries: rows(entryFields, { summary: 'entries of this page, oldest first' }),
        next: orNone(text({ summary: 'value of `after` in the next request; null on the last page' })),
      },
      command: {
        examples: {
          'account statement acme --from 2026-01-01 --to 2026-02-01': 'show all entries of January',
          'account statement acme --from 2026-01-31T12:00:00+01:00 --messages':
            'show the entries from noon on, with each message',
          'account statement acme --zone Europe/Zurich --from 2026-01-01 --csv':
            'print the entries as CSV for a spreadsheet',
        },
      },
    }),
    balance: get('/accounts/{account}/balance', {
      summary: 'Show the present balance of an account, or a past balance',
      role: 'finance',
      input: {
        ...account,
        at: optional(timeOrDay({ summary: 'show the balance just before this time or day', defaultText: 'now' })),
        zone,
      },
      answer: {
        ...account,
        at: instant({ summary: 'time of this balance' }),
        currency: accountCurrency,
        balance: amount({ summary: 'balance of the account' }),
      },
      command: {
        examples: {
          'account balance acme': 'show the present balance of acme',
          'account balance acme --at 2026-01-01 --zone Europe/Zurich':
            'show the balance at the start of 2026 in Zurich',
        },
        says: ({ account: name, at, currency: code, balance }) =>
          `account ${name} has ${showMicros(balance, code)} ${code} at ${entryFields.at.cell(at)}`,
      },
    }),
  },
});
