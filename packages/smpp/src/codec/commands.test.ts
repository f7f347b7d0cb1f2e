import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type CommandName,
  type RequestName,
  type ResponseName,
  type ResponseOf,
  commandNames,
  commands,
  commandName,
  isCommandName,
  isRequestName,
  isResponseId,
  isResponseName,
  responseName,
} from './commands.ts';

/** The command_ids of 3.4 section 5.1.2.1 and 5.0 section 4.7.5. */
const ids: readonly (readonly [CommandName, number])[] = [
  ['generic_nack', 0x80000000],
  ['bind_receiver', 0x00000001],
  ['bind_transmitter', 0x00000002],
  ['query_sm', 0x00000003],
  ['submit_sm', 0x00000004],
  ['deliver_sm', 0x00000005],
  ['unbind', 0x00000006],
  ['replace_sm', 0x00000007],
  ['cancel_sm', 0x00000008],
  ['bind_transceiver', 0x00000009],
  ['outbind', 0x0000000b],
  ['enquire_link', 0x00000015],
  ['submit_multi', 0x00000021],
  ['alert_notification', 0x00000102],
  ['data_sm', 0x00000103],
  ['broadcast_sm', 0x00000111],
  ['query_broadcast_sm', 0x00000112],
  ['cancel_broadcast_sm', 0x00000113],
];
const withoutResponse: readonly CommandName[] = ['generic_nack', 'outbind', 'alert_notification'];

test('ids are as in the standards, and the id of a response is the id of its request with bit 31', () => {
  for (const [name, id] of ids) {
    assert.equal(commands[name].id, id, name);
    assert.equal(commandName(id), name);
    assert.equal(isRequestName(name), !withoutResponse.includes(name), name);
    if (!isRequestName(name)) continue;
    const response = responseName(name);
    assert.equal(response, `${name}_resp`);
    assert.equal(commands[response].id, 0x80000000 + id, response);
    assert.ok(isResponseName(response));
  }
  assert.equal(commandNames.length, ids.length * 2 - withoutResponse.length);
});

test('unknown names and ids', () => {
  assert.equal(commandName(0x0a), undefined);
  assert.equal(commandName(0x00010200), undefined);
  assert.ok(isResponseId(0x800000ff));
  assert.ok(!isResponseId(0x7fffffff));
  assert.ok(!isCommandName('toString'));
  assert.ok(isResponseName('generic_nack'));
  assert.ok(!isResponseName('outbind'));
});

test('types follow the table', () => {
  const response: ResponseOf<'submit_sm'> = 'submit_sm_resp';
  const request: RequestName = 'bind_receiver';
  const nack: ResponseName = 'generic_nack';
  // @ts-expect-error alert_notification has no response
  const wrong: RequestName = 'alert_notification';
  assert.deepEqual(
    [response, request, nack, wrong].map((name) => isCommandName(name)),
    [true, true, true, true],
  );
});
