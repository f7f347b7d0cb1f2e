import { checkStages, checkStart } from '../../values/money.ts';
import { accountName } from '../account/settings.ts';
import { described, list, optional, orNone, record } from '../compose.ts';
import { count, oneOf, place, text } from '../fields.ts';
import { get, resource } from '../resource.ts';

/* The check of the ledger, in chunks, so that a ledger of any size can be checked. */

/** A fault and its place. Expected and found are amounts in whole units, or words. */
export const faultFields = {
  promise: oneOf(['M1', 'M2', 'M3', 'M4', 'M6'], { summary: 'promise that does not hold' }),
  account: orNone(text({ summary: 'its account', example: 'acme' })),
  entry: orNone(text({ summary: 'id of its entry', example: '4711' })),
  message: orNone(text({ summary: 'id of its message', example: '904907980800001' })),
  part: orNone(count({ summary: 'number of its part' })),
  expected: text({ summary: 'expected amount or word', example: '0.99' }),
  found: text({ summary: 'stored amount or word', example: '0.98' }),
  fault: text({
    summary: 'what is wrong',
    title: 'WHAT IS WRONG',
    example: 'the balance is not the sum of its entries',
  }),
};

const stage = oneOf(checkStages, { summary: 'stage of the check' });

export const ledger = resource('ledger', {
  summary: 'The ledger: whether every cent is explained',
  operations: {
    check: get('/ledger/check', {
      summary: 'Check every balance, entry, charge and refund, while the gateway runs or on a stopped one',
      input: {
        account: optional(described(accountName, { summary: 'only this account' })),
        after: optional(place(new RegExp(`^(?:${checkStages.join('|')})/\\d{1,16}$`), { typed: [] }), checkStart),
      },
      answer: {
        stage,
        looked: count({ summary: 'rows of this stage that were looked at' }),
        percent: count({ summary: 'how much of this stage is done' }),
        faults: list(record(faultFields, { summary: 'a fault' }), { summary: 'what is wrong' }),
        next: orNone(
          text({ summary: 'give this as `after` for the next stretch; null at the end', example: 'entries/500' }),
        ),
      },
      command: {
        examples: [
          ['ledger check', 'exit status 0 if all is right; else 1, with a list of faults'],
          ['ledger check --account acme --json', 'one account, for a program'],
          ['ledger check --data-dir ./backup', 'a backup'],
          ['ledger check --deep', 'the database file, too: after trouble with a disk'],
        ],
        notes: `It checks every entry, balance, message, part and refund:
M1 The entries of an account add up to its balance.
M2 No charge takes a balance below the credit limit of its time.
M3 Each charge is the sum of its messages, and each refund is the price of one part.
M4 No entry is missing, and nothing can change one.
M6 The answer to the client has the balance that the ledger has.

It does not find:
- Balances, entries and messages that somebody rewrote in the database so that they agree. Keep statements elsewhere
  (account statement --csv) to find that.
- Whether a balance was below its limit before the gateway kept limits; it only checks whether it still is.
- Whether a price was the right one (see price show --at), and what accounts have spent of their caps.`,
      },
    }),
  },
});
