import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusName, statuses } from './statuses.ts';

test('a command_status has a name and a number', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0x00, 'ESME_ROK'],
    [0x08, 'ESME_RSYSERR'],
    [0x14, 'ESME_RMSGQFUL'],
    [0x58, 'ESME_RTHROTTLED'],
    [0x104, 'ESME_RINVDCS'],
    [0x112, 'ESME_RINVBCASTCHANIND'],
    [0x410, '0x00000410'],
    [0xffffffff, '0xffffffff'],
  ];
  for (const [value, name] of rows) assert.equal(statusName(value), name);
  assert.equal(statuses.ESME_RTHROTTLED, 0x58);
});

test('no number occurs twice', () => {
  const values = Object.values(statuses);
  assert.equal(new Set(values).size, values.length);
});
