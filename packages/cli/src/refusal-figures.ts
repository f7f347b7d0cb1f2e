import { word } from './table.ts';
import type { Row } from './table.ts';

/** The sentence of a problem with its figures, which otherwise only a program would see. */
export function withFigures(detail: string, problem: Row): string {
  const of = (member: string) => word(problem, member);
  const currency = of('clientCurrency');
  switch (of('code')) {
    case 'insufficient_balance':
      return `${detail}: it costs ${of('totalCost')} ${currency}, and the balance is ${of('clientBalance')} ${currency}`;
    case 'spend_cap_reached':
      return `${detail}: it costs ${of('totalCost')} ${currency}, ${of('spent')} of ${of('cap')} ${currency} are spent, and the ${of('period')} ends at ${of('endsAt')}`;
    default:
      return detail;
  }
}
