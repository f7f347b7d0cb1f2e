import { portsOf } from '../../core/inbound.ts';
import { parseMessageId } from '../../core/message-id.ts';
import { parseOwnedNumber } from '../../core/owned-number.ts';
import { ok, refused } from '../../core/result.ts';
import {
  invalid,
  messageId,
  name,
  oneOf,
  optional,
  readFields,
  sentence,
  wholeNumber,
} from '../../flow/operator-fields.ts';
import type { Fields } from '../../flow/operator-fields.ts';
import type { InboundSummary, InboundView, NumberView } from '../../store/views/inbound.ts';
import type { Json } from './exact-json.ts';
import { time } from './present.ts';
import { askAccount, shown } from './questions.ts';
import type { Answer, QuestionNeeds } from './questions.ts';

/* What the operator asks of messages from phones, and of the numbers they are sent to. */

/** Messages of one page: what a person looks through. */
const limitMax = 1_000;
const limitDefault = 50;
const wordMax = 64;

/** The numbers of an account, or of all. */
export async function askNumbers(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ account: optional(name, null) }, fields);
  if (!read.ok) return read;
  const { account } = read.value;
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  return shown(await needs.reader.ask('numbers', account), (numbers) => numbers.map(showNumber));
}

const findFields = {
  account: optional(name, null),
  unmatched: optional(oneOf(['true', 'false']), 'false'),
  number: optional(sentence(wordMax), null),
  before: optional(messageId, null),
  limit: optional(wholeNumber(1, limitMax), limitDefault),
};

/** Messages from phones, the newest first and without their texts, and where to go on as `before` if there may be more. */
export async function askInbound(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields(findFields, fields);
  if (!read.ok) return read;
  const { number, account, before, limit } = read.value;
  const unmatched = read.value.unmatched === 'true';
  if (unmatched && account !== null) return invalid('unmatched', 'what has no account is in no list of an account');
  const owner = account === null ? ok(null) : await askAccount(needs, account);
  if (!owner.ok) return owner;
  const owned = number === null ? undefined : parseOwnedNumber(number, 'number');
  if (owned && !owned.ok) return invalid('number', owned.error);
  const wanted = { account, unmatched, before, limit, digits: owned?.value.digits ?? null };
  return shown(await needs.reader.ask('inbound', wanted), ({ messages, next }) => ({
    messages: messages.map(showInboundSummary),
    next: next === null ? null : String(next),
  }));
}

/** One message from a phone, with what it says. */
export async function askInboundMessage(needs: QuestionNeeds, fields: Fields): Answer {
  const read = readFields({ id: sentence(wordMax) }, fields);
  if (!read.ok) return read;
  const id = parseMessageId(read.value.id);
  if (id === undefined) return refused({ code: 'message_not_found' });
  const found = await needs.reader.ask('inboundMessage', id);
  if (!found.ok) return found;
  return found.value ? ok(showInbound(found.value)) : refused({ code: 'message_not_found' });
}

function showNumber(row: NumberView): Json {
  return { number: row.number, kind: row.kind, account: row.account, createdAt: time(row.createdAt) };
}

/** The words of section 6 of the decisions, and who brought it to whom. */
function showInboundSummary(message: InboundSummary): { readonly [member: string]: Json } {
  return {
    msgId: String(message.id),
    account: message.account,
    carrier: message.carrier,
    sender: message.sender,
    receiver: message.receiver,
    dcs: message.dcs,
    numParts: message.numParts,
    partsReceived: message.partsReceived,
    complete: message.complete,
    receivedTime: time(message.receivedAt),
  };
}

function showInbound(message: InboundView): Json {
  const ports = portsOf(message.header);
  return {
    ...showInboundSummary(message),
    ...(message.octets === null ? { text: message.text } : { data: hex(message.octets) }),
    dataCoding: message.dataCoding,
    header: message.header === null ? null : hex(message.header),
    destinationPort: ports?.destination ?? null,
    sourcePort: ports?.source ?? null,
  };
}

function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}
