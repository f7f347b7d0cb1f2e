import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  commandNames,
  commands,
  commandName,
  isCommandName,
  isRequestName,
  isResponseId,
  isResponseName,
  responseName,
} from './commands.ts';

/* The ids themselves are in the vectors: `codec.test.ts` writes and reads a PDU of each command. */

test('the id of a response is the id of its request with bit 31', () => {
  const withoutResponse = commandNames.filter((name) => !isRequestName(name) && !name.endsWith('_resp'));
  assert.deepEqual(withoutResponse.toSorted(), ['alert_notification', 'generic_nack', 'outbind']);
  for (const name of commandNames) {
    assert.equal(commandName(commands[name].id), name);
    if (!isRequestName(name)) continue;
    const response = responseName(name);
    assert.equal(commands[response].id, 0x80000000 + commands[name].id, response);
    assert.ok(isResponseName(response));
  }
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
