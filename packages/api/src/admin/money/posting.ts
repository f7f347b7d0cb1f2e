import { showMicros } from '../../values/currency.ts';
import { entryKinds } from '../../values/money.ts';
import { ok } from '../../values/result.ts';
import { accountName, timeZone } from '../account/settings.ts';
import { actor, list, optional, orNone, pick, record } from '../compose.ts';
import type { About, Field, Values } from '../field.ts';
import { amount, ascii, count, currency, fieldOf, flag, instant, oneOf, place, sentence, text } from '../fields.ts';
import { get, post, resource } from '../resource.ts';

/* Top-ups and adjustments of an account, its balances at any time, and its statements. */

const reasonMax = 200;
/** As long as the Idempotency-Key of a send. */
const keyMax = 255;

/** A message of a charge. */
export const chargedFields = {
  msgId: text({ summary: 'its id', example: '904907980800001' }),
  receiver: text({ summary: 'its receiver', isPersonal: true, example: '+41791112233' }),
  parts: count({ summary: 'its parts' }),
  unitPrice: amount({ summary: 'price of a part' }),
  cost: amount({ summary: 'price of all parts' }),
  balance: amount({ summary: 'balance after it' }),
};

/** An entry of the ledger. */
export const entryFields = {
  entry: count({ summary: 'id of the entry' }),
  at: instant({ summary: 'when it was posted' }),
  kind: oneOf(entryKinds, { summary: 'entry of the posting' }),
  amount: amount({ summary: 'amount of the change' }),
  balance: amount({ summary: 'balance after it' }),
  messages: count({ summary: 'messages of a charge or a refund' }),
  parts: count({ summary: 'their parts' }),
  msgId: orNone(text({ summary: 'message of a refund', example: '904907980800001' })),
  part: orNone(count({ summary: 'part of a refund' })),
  reason: text({ summary: 'why', example: 'invoice 1203' }),
  actor: text({ summary: 'operator who posted it', example: 'jane' }),
  key: orNone(text({ summary: 'key that it was posted under', example: 'invoice-1203' })),
  charged: optional(list(record(chargedFields, { summary: 'a message' }), { summary: 'messages of a charge' })),
};

const account = { account: accountName };
const accountCurrency = currency({ summary: 'currency of the account' });
const zone = optional(
  timeZone({ summary: 'time zone of the given days, such as Europe/Zurich', defaultText: 'that of the account' }),
);
const reason = sentence({ max: reasonMax, summary: 'why, as the ledger will say', example: 'invoice 1203' });
const key = optional(
  ascii({
    min: 1,
    max: keyMax,
    summary: 'any text that names this posting: a repeat with the same key changes nothing',
    example: 'invoice-1203',
  }),
);

const moved = {
  ...account,
  ...pick(entryFields, 'amount', 'balance', 'entry'),
  replayed: flag({ summary: 'whether it was posted before under this key, and nothing was moved now' }),
};

function movedText(posted: Values<typeof moved>): string {
  const before = posted.replayed ? ', posted before under this key' : '';
  const [balance, by] = [moved.balance.cell(posted.balance), moved.amount.cell(posted.amount)];
  return `account ${posted.account} has ${balance} after ${by} (entry ${posted.entry}${before})`;
}

/** A time, or a day. The gateway finds out when a day begins in its time zone. */
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
  summary: 'Postings: top-ups and adjustments, balances and statements',
  command: 'account',
  operations: {
    topUp: post('/accounts/{account}/top-up', {
      summary: 'Add to a balance',
      role: 'owner',
      input: {
        ...account,
        amount: amount({ summary: 'amount to add, in the currency of the account' }),
        reason: optional(reason, 'top-up'),
        actor,
        key,
      },
      answer: moved,
      command: {
        arguments: ['account', 'amount'],
        examples: [
          ['account top-up acme 50 --reason "invoice 1203"', '50 more'],
          ['account top-up acme 50 --key invoice-1203', 'from a script that may run twice: 50 more, once'],
        ],
        says: movedText,
      },
    }),
    adjust: post('/accounts/{account}/adjust', {
      summary: 'Correct a balance, up or down, for a reason',
      role: 'owner',
      input: {
        ...account,
        amount: amount({ summary: 'amount to add; a negative amount is taken away' }),
        reason,
        actor,
        key,
        force: optional(flag({ summary: 'also where the balance falls below its limit' }), false),
      },
      answer: moved,
      command: {
        examples: [
          ['account adjust acme --amount -1.50 --reason "posted twice"', '1.50 less'],
          ['account adjust acme --amount 3 --reason "goodwill" --actor jane', '3 more, in the name of jane'],
        ],
        says: movedText,
      },
    }),
    statement: get('/accounts/{account}/statement', {
      summary: 'Show the entries of an account, with its balance before and after',
      input: {
        ...account,
        from: optional(
          timeOrDay({
            summary: 'start: a time, or a day such as 2026-01-01',
            defaultText: 'the first entry',
          }),
        ),
        to: optional(timeOrDay({ summary: 'end: before this time or day', defaultText: 'now' })),
        zone,
        messages: optional(flag({ summary: 'list each message of each charge' }), false),
        after: optional(place(/^\d{1,15}\/\d{1,15}$/, { typed: [], example: '1000/4711' })),
      },
      answer: {
        ...account,
        from: orNone(instant({ summary: 'start; null for the first entry' })),
        to: instant({ summary: 'end: before this time' }),
        currency: accountCurrency,
        opening: amount({ summary: 'balance before the first entry of this page' }),
        closing: amount({ summary: 'balance after the last entry of all pages' }),
        entries: list(record(entryFields, { summary: 'an entry' }), { summary: 'entries, the oldest first' }),
        next: orNone(text({ summary: 'give this as `after` for the next page; null at the end' })),
      },
      command: {
        examples: [
          ['account statement acme --from 2026-01-01 --to 2026-02-01', 'all entries of January'],
          ['account statement acme --from 2026-01-31T12:00:00+01:00 --messages', 'from noon on, message by message'],
          ['account statement acme --zone Europe/Zurich --from 2026-01-01 --csv', 'for a spreadsheet'],
        ],
      },
    }),
    balance: get('/accounts/{account}/balance', {
      summary: 'Show the balance of an account, now or at a past time',
      input: {
        ...account,
        at: optional(
          timeOrDay({ summary: 'a time or a day: entries of that instant are not counted', defaultText: 'now' }),
        ),
        zone,
      },
      answer: {
        ...account,
        at: instant({ summary: 'when it had this balance' }),
        currency: accountCurrency,
        balance: amount({ summary: 'balance' }),
      },
      command: {
        examples: [
          ['account balance acme', 'present balance'],
          ['account balance acme --at 2026-01-01 --zone Europe/Zurich', 'balance at the start of the year in Zurich'],
        ],
        says: ({ account: name, at, currency: code, balance }) =>
          `account ${name} has ${showMicros(balance, code)} ${code} at ${entryFields.at.cell(at)}`,
      },
    }),
  },
});
