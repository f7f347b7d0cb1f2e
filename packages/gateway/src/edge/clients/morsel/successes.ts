import { eventOf } from '../../../core/base/message.ts';
import { asJson, reportFields } from './notify.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { shapes } from '@morsel/api/shapes.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { formatInstant } from '@morsel/api/values/time.ts';
import type { AcceptedMessage, Balance } from '../../../flow/ports.ts';
import type { ReportView } from '../../../store/views/message/messages.ts';
import type { Quote } from '../../../flow/message/quote.ts';

/*
 * Writes answers, with exact decimal amounts, which JavaScript numbers would round. The frequent ones are written by
 * hand: nothing needs escaping, because message ids are digits and currencies are capital letters.
 */

export function writeAccepted({ msgId, numParts, totalCost, clientBalance, clientCurrency }: AcceptedMessage): string {
  return (
    `{"msgId":"${msgId}","numParts":${numParts},"totalCost":${formatMicros(totalCost)}` +
    `,"clientBalance":${formatMicros(clientBalance)},"clientCurrency":"${clientCurrency}"}`
  );
}

/** Only declared fields are written: not the carrier, which only the operator may see. */
export function writeQuote({ outside, ...quote }: Quote): string {
  const characters = { ucsCount: outside.count, ucsCharacters: outside.characters };
  return writeJson(jsonOf(shapes.Quote, { ...quote, ...characters }));
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
