import { account } from '@morsel/api/admin/account/account.ts';
import type { Field } from '@morsel/api/admin/field.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { Shell } from '../command.ts';
import { cardOf } from '../show.ts';

const fields = account.operations.show.answer;

/** Formats the settings and the balance of an account. Each amount is shown with the currency of the account. */
export function showAccount(shown: AnswerOf<typeof account.operations.show>, shell: Shell): string {
  const money = <T, F extends Pick<Field<T>, 'cell'>>(field: F & Pick<Field<T>, 'cell'>): F => ({
    ...field,
    cell: (value: T) => field.cell(value).replaceAll(/-?\d[\d.]*/g, (amount) => `${amount} ${shown.currency}`),
  });
  const amounts = {
    balance: money(fields.balance),
    creditLimit: money(fields.creditLimit),
    lowBalance: money(fields.lowBalance),
    spentDay: money(fields.spentDay),
    spentMonth: money(fields.spentMonth),
    dayCap: money(fields.dayCap),
    monthCap: money(fields.monthCap),
  };
  return cardOf({ answer: { ...fields, ...amounts } }, shown, shell);
}
