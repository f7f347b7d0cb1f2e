import type { SQLOutputValue } from 'node:sqlite';
import { integer, integerOrNull, text, textOrNull, micros, bytes, bytesOrNull } from './columns.ts';
import type { Record } from './columns.ts';
import type { Dcs } from '@morsel/gsm';
import type { Carrier, CarrierStatus, IdRule, InDoubtPolicy } from '../../core/routing/carrier.ts';
import type { UnitCost } from '../../core/routing/carrier-cost.ts';
import type { KnownRule } from '../../core/message/carrier-id.ts';
import { profileOf } from '../../core/routing/carrier-profile.ts';
import type { CarrierProfile } from '../../core/routing/carrier-profile.ts';
import type { EntryKind } from '@morsel/api/values/money.ts';
import type { PartState } from '../../core/base/message.ts';
import type { MessageEvent } from '@morsel/api/values/message.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import type { PartEncoding, StoredPart } from '../../core/message/client-encoded-part.ts';
import type { Outcome } from '../../core/message/outcome.ts';
import type { PassedTlv } from '../../core/routing/passed-tlvs.ts';
import type { CarrierState } from '../../core/message/receipt.ts';
import type { RecordInbound } from '../commands/inbound.ts';
import type { Evidence } from '../tables/learning.ts';
import type { UnmatchedWhy } from '@morsel/api/values/message.ts';
import type { EntryRow } from '../tables/ledger.ts';
import type { UnmatchedReceiptRow } from '../tables/receipt.ts';
import type { AttemptRow, CarrierRow, MessageContent, MessageRow, PartRow } from '../tables/rows.ts';

/*
 * Makes our rows of SQLite's. Columns that only the gateway writes (states, outcomes, policies) are not checked again:
 * the tables are strict, and there is one writer.
 */

/** The members of an entry that its key finds. */
export function keyedEntryFrom(row: Record): Pick<EntryRow, 'id' | 'kind' | 'amount' | 'balanceAfter'> {
  return {
    id: integer(row, 'id'),
    kind: entryKindFrom(row),
    amount: micros(row, 'amount'),
    balanceAfter: micros(row, 'balance_after'),
  };
}

export function entryKindFrom(row: Record): EntryKind {
  return text(row, 'kind') as EntryKind;
}

export function carrierFrom(row: Record): Carrier {
  return {
    id: integer(row, 'id'),
    name: text(row, 'name'),
    host: text(row, 'host'),
    port: integer(row, 'port'),
    systemId: text(row, 'system_id'),
    password: text(row, 'password'),
    receiverPassword: textOrNull(row, 'receiver_password'),
    tlsKey: textOrNull(row, 'tls_key'),
    systemType: text(row, 'system_type'),
    window: integer(row, 'window_max'),
    throughput: integer(row, 'throughput'),
    links: integer(row, 'links'),
    inDoubt: text(row, 'in_doubt') as InDoubtPolicy,
    idRule: text(row, 'id_rule') as IdRule,
    profile: profileFrom(row),
    status: text(row, 'status') as CarrierStatus,
    costList: integerOrNull(row, 'cost_list'),
  };
}

export function profileFrom(row: Record): CarrierProfile {
  return profileOf('standard', JSON.parse(text(row, 'profile')) as Partial<CarrierProfile>);
}

export function carrierRowFrom(row: Record): CarrierRow {
  const carrier = carrierFrom(row);
  return {
    change: 'none',
    carrier,
    createdAt: integer(row, 'created_at'),
    status: carrier.status,
  };
}

export function eventFrom(row: Record): MessageEvent {
  return text(row, 'event') as MessageEvent;
}

export function stateFrom(row: Record): PartState {
  return text(row, 'state') as PartState;
}

export function messageRowFrom(row: Record, parts: PartRow[]): MessageRow {
  return {
    change: 'none',
    id: toMessageId(integer(row, 'id')),
    account: integer(row, 'account'),
    route: integer(row, 'route'),
    priority: integer(row, 'priority'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    numParts: integer(row, 'num_parts'),
    unitPrice: micros(row, 'unit_price'),
    dueAt: integer(row, 'due_at'),
    expiresAt: integer(row, 'expires_at'),
    event: eventFrom(row),
    eventAt: integer(row, 'event_at'),
    corrected: row['corrected'] === 1,
    ownEnd: row['own_end'] === 1,
    errorCode: textOrNull(row, 'error_code'),
    registered: integerOrNull(row, 'registered') ?? 0,
    parts,
    fresh: undefined,
  };
}

export function contentFrom(row: Record): MessageContent {
  return {
    encoding: text(row, 'encoding') as PartEncoding,
    dcs: text(row, 'dcs') as Dcs | 'BIN',
    text: textOrNull(row, 'text') ?? '',
    reference: integerOrNull(row, 'reference'),
    flash: row['flash'] === 1,
    clientEncoded: clientEncodedFrom(row),
    tlvs: tlvsFrom(row),
  };
}

function tlvsFrom(row: Record): readonly PassedTlv[] | undefined {
  const json = textOrNull(row, 'tlvs');
  return json === null ? undefined : (JSON.parse(json) as readonly PassedTlv[]);
}

function clientEncodedFrom(row: Record): StoredPart | undefined {
  if (row['octets'] === null) return undefined;
  return {
    octets: bytes(row, 'octets'),
    header: bytesOrNull(row, 'header'),
    reference: integerOrNull(row, 'reference'),
  };
}

export function partRowFrom(row: Record): PartRow {
  return {
    change: 'none',
    message: toMessageId(integer(row, 'message')),
    number: integer(row, 'number'),
    state: stateFrom(row),
    changedAt: integer(row, 'changed_at'),
    deadline: integerOrNull(row, 'deadline'),
    due: integerOrNull(row, 'due'),
    carrier: integerOrNull(row, 'carrier'),
    attempts: integer(row, 'attempts'),
    tries: integer(row, 'tries'),
    inDoubt: integer(row, 'in_doubt'),
    carrierState: textOrNull(row, 'carrier_state') as CarrierState | null,
    errorCode: textOrNull(row, 'error_code'),
    refundEntry: integerOrNull(row, 'refund_entry'),
    eligible: text(row, 'eligible'),
    triedBy: integerOrNull(row, 'tried_by'),
    roundEnds: integerOrNull(row, 'round_ends'),
    textEnd: inboundFrom(row['text_end']),
    loaded: [],
  };
}

/** The inbound message to make if an unmarked text was not a receipt; `write.ts` writes it. */
function inboundFrom(value: SQLOutputValue | undefined): RecordInbound | undefined {
  if (typeof value !== 'string') return undefined;
  const kept = JSON.parse(value) as Omit<RecordInbound, 'octets'> & { readonly octets: string };
  return { ...kept, octets: Uint8Array.from(Buffer.from(kept.octets, 'base64')) };
}

export function attemptRowFrom(row: Record): AttemptRow {
  return {
    change: 'none',
    message: toMessageId(integer(row, 'message')),
    part: integer(row, 'part'),
    number: integer(row, 'number'),
    carrier: integer(row, 'carrier'),
    link: integer(row, 'link'),
    lease: integer(row, 'lease'),
    claimedAt: integer(row, 'claimed_at'),
    answeredAt: integerOrNull(row, 'answered_at'),
    outcome: textOrNull(row, 'outcome') as Outcome | null,
    commandStatus: integerOrNull(row, 'command_status'),
    carrierId: textOrNull(row, 'carrier_id'),
    carrierIdKey: textOrNull(row, 'carrier_id_key'),
    isWhole: integer(row, 'whole') === 1,
    cost: costFrom(row),
  };
}

function costFrom(row: Record): UnitCost | null {
  const currency = textOrNull(row, 'cost_currency');
  return currency === null ? null : { amount: micros(row, 'cost'), currency };
}

export function unmatchedReceiptRowFrom(row: Record): UnmatchedReceiptRow {
  return {
    change: 'none',
    id: integer(row, 'id'),
    carrier: integer(row, 'carrier'),
    carrierIdKey: text(row, 'carrier_id_key'),
    carrierId: text(row, 'carrier_id'),
    carrierState: textOrNull(row, 'carrier_state') as CarrierState | null,
    errorCode: textOrNull(row, 'error_code'),
    sender: text(row, 'sender'),
    receiver: text(row, 'receiver'),
    receivedAt: integer(row, 'received_at'),
    why: text(row, 'why') as UnmatchedWhy,
    octets: row['octets'] === null ? null : bytes(row, 'octets'),
    orInbound: inboundFrom(row['or_inbound']),
  };
}

export function ruleFrom(row: Record, column: string): IdRule {
  return text(row, column) as IdRule;
}

export function knownRuleFrom(row: Record, column: string): KnownRule | null {
  return textOrNull(row, column) as KnownRule | null;
}

export function evidenceFrom(row: Record): Evidence {
  return {
    rule: text(row, 'id_rule') as KnownRule,
    message: toMessageId(integer(row, 'message')),
    part: integer(row, 'part'),
    answerId: text(row, 'answer_id'),
    receiptId: text(row, 'receipt_id'),
    at: integer(row, 'at'),
  };
}
