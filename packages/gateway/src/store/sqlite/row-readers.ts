import { integer, integerOrNull, text, textOrNull } from './columns.ts';
import type { Record } from './columns.ts';
import type { Carrier, CarrierStatus, IdRule, InDoubtPolicy } from '../../core/routing/carrier.ts';
import type { KnownRule } from '../../core/message/carrier-id.ts';
import { profileOf } from '../../core/routing/carrier-profile.ts';
import type { CarrierProfile } from '../../core/routing/carrier-profile.ts';
import { toMessageId } from '../../core/base/message-id.ts';
import type { Evidence } from '../tables/learning.ts';
import type { CarrierRow } from '../tables/rows.ts';

/*
 * Makes our rows of SQLite's. Columns that only the gateway writes (states, outcomes, policies) are not checked again:
 * the tables are strict, and there is one writer.
 */

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
