import { checkStages, checkStart } from '../../values/money.ts';
import { accountName } from '../account/settings.ts';
import { described, optional, orNone, rows } from '../../fields/compose.ts';
import { count, oneOf, place, text } from '../../fields/fields.ts';
import { get, resource } from '../resource.ts';

/* The check of the ledger. Each request checks one chunk of the ledger, because a ledger may be large. */

/** A fault of the ledger. `expected` and `found` are amounts in whole currency units, or words. */
export const faultFields = {
  promise: oneOf(['M1', 'M2', 'M3', 'M4', 'M6'], { summary: 'promise of the ledger (M1 to M6) that is broken' }),
  account: orNone(text({ summary: 'account of the error', example: 'acme' })),
  entry: orNone(text({ summary: 'id of the wrong ledger entry', example: '4711' })),
  message: orNone(text({ summary: 'msgId of the wrong message', example: '904907980800001' })),
  part: orNone(count({ summary: 'number of the wrong part' })),
  expected: text({ summary: 'expected amount or value', example: '0.99' }),
  found: text({ summary: 'stored amount or value', example: '0.98' }),
  fault: text({
    summary: 'description of the error',
    label: 'Fault',
    example: 'the balance of the account is not the sum of its entries',
  }),
};

const stage = oneOf(checkStages, { summary: 'stage of the ledger check' });

export const ledger = resource('ledger', {
  summary: 'The check of the ledger, which explains every balance',
  operations: {
    check: get('/ledger/check', {
      summary: 'Check every balance, entry, charge and refund of the ledger',
      role: 'finance',
      input: {
        account: optional(described(accountName, { summary: 'check only this account' })),
        after: optional(place(new RegExp(`^(?:${checkStages.join('|')})/\\d{1,16}$`), { typed: [] }), checkStart),
      },
      answer: {
        stage,
        looked: count({ summary: 'rows that this stage has checked' }),
        percent: count({ summary: 'progress of this stage, in per cent' }),
        faults: rows(faultFields, { summary: 'errors in the ledger' }),
        next: orNone(
          text({
            summary: 'value of `after` in the next request; null at the end of the check',
            example: 'entries/500',
          }),
        ),
      },
      command: {
        examples: {
          'ledger check': 'check all accounts; exit status 1 means that errors were found',
          'ledger check --account acme --json': 'check one account and print JSON',
          'ledger check --data-dir ./backup': 'check a backup',
          'ledger check --deep': 'also check the database file, for example after a disk failure',
        },
        notes: `The check reads every entry, balance, message, part and refund:
M1 The sum of all entries of an account is the balance of the account.
M2 No charge takes a balance below the credit limit at that time.
M3 Each charge is the sum of its messages, and each refund is the price of one part.
M4 No entry is missing, and the database refuses changes of entries.
M6 The balance in the answer to the client is the balance in the ledger.

The check does not find:
- Consistent changes of balances, entries and messages by somebody who edits the database. To find such changes, keep
  statements outside the gateway (account statement --csv).
- Past balances below the limit, from the time before the gateway stored credit limits.
- Wrong prices (see price show --at) and wrong sums of the spend caps.`,
      },
    }),
  },
});
