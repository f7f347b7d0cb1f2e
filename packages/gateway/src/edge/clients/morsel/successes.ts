import { eventOf } from '../../../core/base/message.ts';
import { asJson, reportFields } from './notify.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import type { AcceptedMessage, Balance } from '../../../flow/ports.ts';
import type { ReportView } from '../../../store/views/message/messages.ts';
import type { Quote } from '../../../flow/message/quote.ts';

/*
 * Writes JSON by hand, with exact decimal amounts, which JavaScript numbers would round. Nothing needs escaping,
 * because message ids are digits and currencies are capital letters.
 */

export function writeAccepted({ msgId, numParts, totalCost, clientBalance, clientCurrency }: AcceptedMessage): string {
  return (
    `{"msgId":"${msgId}","numParts":${numParts},"totalCost":${formatMicros(totalCost)}` +
    `,"clientBalance":${formatMicros(clientBalance)},"clientCurrency":"${clientCurrency}"}`
  );
}

/** The answer does not name the carrier, because only the operator may see it. */
export function writeQuote(quote: Quote): string {
  const { outside } = quote;
  const characters = outside.characters.map((each) => JSON.stringify(each)).join(',');
  return (
    `{"numParts":${quote.numParts},"encoding":"${quote.encoding}"` +
    `,"ucsCount":${outside.count},"ucsCharacters":[${characters}]` +
    `,"unitPrice":${formatMicros(quote.unitPrice)},"totalCost":${formatMicros(quote.totalCost)}` +
    `,"clientBalance":${formatMicros(quote.clientBalance)},"balanceAfter":${formatMicros(quote.balanceAfter)}` +
    `,"isCovered":${quote.isCovered},"isReplay":${quote.isReplay}` +
    `,"clientCurrency":"${quote.clientCurrency}","routePrefix":"${quote.routePrefix}"}`
  );
}

export function writeReport({ parts, ...report }: ReportView): string {
  const body = asJson(reportFields(report));
  return parts.length === 0 ? body : `${body.slice(0, -1)},"parts":[${parts.map(writePart).join(',')}]}`;
}

export function writeBalance({ clientBalance, clientCurrency }: Balance): string {
  return `{"clientBalance":${formatMicros(clientBalance)},"clientCurrency":"${clientCurrency}"}`;
}

function writePart({ number, state, changedAt, errorCode }: ReportView['parts'][number]): string {
  const ending = errorCode === null ? '' : `,"errorCode":${JSON.stringify(errorCode)}`;
  return `{"part":${number},"event":"${eventOf(state)}","dlrTime":"${formatInstant(changedAt)}"${ending}}`;
}
