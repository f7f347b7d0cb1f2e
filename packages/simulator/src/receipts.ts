import { dataCoding, esmClass, messageStateTable, tlvTable, writeTlv, type Tlv, type Ask } from '@morsel/smpp';
import { between, type Submitted } from './addresses.ts';
import { type ReceiptFacts, writeDialect } from './delivery/dialects.ts';
import { spell } from './delivery/ids.ts';
import type { ReceiptPlan } from './plans.ts';
import { markOf } from './answer/wounds.ts';

/*
 * Builds the delivery receipts that the simulator sends, as deliver_sm or data_sm.
 */

const dayMs = 86_400_000;

/** Returns the word for the `stat` of a receipt. */
export function statOf(plan: ReceiptPlan): string {
  return plan.stat ?? messageStateTable[plan.state].stat;
}

interface Given {
  readonly plan: ReceiptPlan;
  /** The id of the message in the format for the text of the receipt. */
  readonly id: string;
  readonly doneAtMs: number;
  /** Whether the receipt may have TLVs; false for a client of SMPP 3.3, which does not support TLVs. */
  readonly hasTlvs: boolean;
}

/** Builds the receipt of a message by its plan. */
export function receiptPdu(message: Submitted, given: Given): Ask {
  const { plan } = given;
  const form = plan.form ?? 'both';
  const addresses =
    plan.unswapped === true
      ? between(message.source, message.destination)
      : between(message.destination, message.source);
  const short_message = form === 'tlvs' ? new Uint8Array(0) : textOf(message, given);
  const tlvs = given.hasTlvs && (form === 'both' || form === 'tlvs') ? tlvsOf(message, given) : [];
  const mark = plan.wound === undefined ? [] : [markOf(plan.wound)];
  const pdu = {
    ...addresses,
    esm_class: plan.esmClass ?? (form === 'bare' ? 0 : esmClassOf(plan)),
    data_coding: plan.dialect === 'ucs2' ? dataCoding.ucs2 : 0,
  };
  if (plan.command !== 'data_sm') return { command: 'deliver_sm', ...pdu, short_message, tlvs: [...tlvs, ...mark] };
  const payload = writeTlv('message_payload', short_message);
  return { command: 'data_sm', ...pdu, tlvs: [...tlvs, payload, ...mark] };
}

/**
 * Returns the esm_class for a state. In the standard, a receipt with a state that is not final is an intermediate
 * notification.
 */
function esmClassOf({ state }: ReceiptPlan): number {
  return messageStateTable[state].final ? esmClass.receipt : esmClass.intermediate;
}

function textOf({ submittedAtMs, head }: Submitted, { plan, id, doneAtMs }: Given): Uint8Array {
  const isDelivered = plan.state === 'DELIVERED';
  const facts: ReceiptFacts = {
    id,
    dlvrd: isDelivered ? '001' : '000',
    submittedAtMs: submittedAtMs - (plan.daysLate ?? 0) * dayMs,
    doneAtMs,
    stat: statOf(plan),
    error: isDelivered || !messageStateTable[plan.state].final ? '000' : '001',
    text: Buffer.from(head).toString('latin1'),
  };
  return writeDialect(facts, plan.dialect ?? 'standard');
}

function tlvsOf(message: Submitted, given: Given): Tlv[] {
  const { plan } = given;
  const id = plan.tlvId === undefined ? given.id : spell(message.id, plan.tlvId);
  const { tag, value } = writeTlv('receipted_message_id', id);
  return [
    { tag, value: plan.hasNoNul === true ? value.subarray(0, -1) : value },
    writeTlv('message_state', messageStateTable[plan.tlvState ?? plan.state].value),
    ...(plan.networkError === undefined
      ? []
      : [{ tag: tlvTable.network_error_code.tag, value: Uint8Array.from(plan.networkError) }]),
  ];
}
