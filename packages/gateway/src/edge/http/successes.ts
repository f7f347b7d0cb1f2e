import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import type { AcceptedMessage, Balance, DeliveryReport, PartReport } from '../../flow/ports.ts';
import type { Quote } from '../../flow/message/quote.ts';

/**
 * The bodies of successes, written by hand: amounts are spliced in as the exact text of their integers, which no number
 * of JavaScript could carry. Ids are digits and currencies three capitals, so neither needs escaping.
 */

/**
 * The body of a 200; with headers of its own, as name, value, name, value, where it has any. As a Buffer all answers share its octets, also
 * those that a client does not read.
 */
export type Success = string | Buffer | { readonly body: string; readonly headers: readonly string[] };

export function writeAccepted({ msgId, numParts, totalCost, clientBalance, clientCurrency }: AcceptedMessage): string {
  return (
    `{"msgId":"${msgId}","numParts":${numParts},"totalCost":${formatMicros(totalCost)}` +
    `,"clientBalance":${formatMicros(clientBalance)},"clientCurrency":"${clientCurrency}"}`
  );
}

/** What a client is told of a quote: which carrier would take the message is the operator's own business. */
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

export function writeDeliveryReport(report: DeliveryReport): string {
  const { msgId, event, numParts, sendTime, dlrTime, parts } = report;
  return (
    `{"msgId":"${msgId}","event":"${event}","numParts":${numParts}` +
    `,"sendTime":"${formatInstant(sendTime)}","dlrTime":"${formatInstant(dlrTime)}"` +
    `${optional('errorCode', report.errorCode)}${optional('clientRef', report.clientRef)}` +
    `${parts === undefined ? '' : `,"parts":[${parts.map(writePart).join(',')}]`}}`
  );
}

export function writeBalance({ clientBalance, clientCurrency }: Balance): string {
  return `{"clientBalance":${formatMicros(clientBalance)},"clientCurrency":"${clientCurrency}"}`;
}

function writePart({ part, event, dlrTime, errorCode }: PartReport): string {
  const ending = optional('errorCode', errorCode);
  return `{"part":${part},"event":"${event}","dlrTime":"${formatInstant(dlrTime)}"${ending}}`;
}

function optional(name: string, value: string | undefined): string {
  return value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;
}
