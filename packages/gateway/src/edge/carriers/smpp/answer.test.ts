import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statusName } from '@morsel/smpp';
import type { SmppProfile } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { readAnswer, statusOf, unsendable } from './answer.ts';

type Classes = SmppProfile['statusClasses'];
const none: Classes = {};
/** Settings of a carrier's profile for its own codes, and for the standard's. */
const own: Classes = {
  0x400: 'temporary',
  0x401: 'throttled',
  0x08: 'permanent',
  0x0a: 'throttled',
  0x14: 'permanent',
  0: 'permanent',
};

const table: readonly (readonly [status: number, classes: Classes, outcome: string, scope: string])[] = [
  [0x00, none, 'accepted', 'message'],
  [0x14, none, 'busy', 'message'],
  [0x64, none, 'temporary', 'message'],
  [0x58, none, 'busy', 'carrier'],
  [0x04, none, 'temporary', 'carrier'],
  [0x08, none, 'temporary', 'message'],
  [0x01, none, 'refused', 'message'],
  [0x0a, none, 'refused', 'sender'],
  [0x45, none, 'refused', 'carrier'],
  [0x66, none, 'refused', 'message'],
  [0xff, none, 'refused', 'carrier'],
  [0x400, none, 'refused', 'message'],
  [0xffffffff, none, 'refused', 'message'],
  [0x400, own, 'temporary', 'message'],
  [0x401, own, 'busy', 'carrier'],
  [0x08, own, 'refused', 'message'],
  [0x0a, own, 'busy', 'carrier'],
  [0x14, own, 'refused', 'message'],
];
for (const [status, classes, outcome, scope] of table) {
  const whose = classes === own ? 'with classes of the carrier' : 'by the standard';
  it(`${statusName(status)} is ${outcome} ${whose}, and is about the ${scope}`, () => {
    const pdu = { command: 'submit_sm_resp', sequence_number: 1, message_id: 'a', tlvs: [] } as const;
    const answer = readAnswer({ ...pdu, command_status: status }, classes);
    assert.deepEqual([answer.outcome, answer.scope, answer.carrierIds], [outcome, scope, ['a']]);
    assert.deepEqual(statusOf(answer), { commandStatus: status, commandStatusName: statusName(status) });
  });
}

it('a generic_nack is a refusal, even with command_status 0', () => {
  const nack = { command: 'generic_nack', sequence_number: 1, tlvs: [] } as const;
  assert.equal(readAnswer({ ...nack, command_status: 0 }, none).code, 'ESME_RUNKNOWNERR');
  assert.equal(readAnswer({ ...nack, command_status: 0x58 }, none).outcome, 'busy');
});

it('a part that cannot be written, or has no answer, has no command_status', () => {
  const nothing = { commandStatus: null, commandStatusName: null };
  assert.deepEqual(statusOf({ ...unsendable('short_message'), outcome: 'refused' }), nothing);
  assert.deepEqual(statusOf({ outcome: null, code: null }), nothing);
});
