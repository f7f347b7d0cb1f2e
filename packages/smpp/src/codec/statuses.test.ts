import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusName, statuses } from './statuses.ts';

test('a command_status has a name and a number', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0x00, 'ESME_ROK'],
    [0x01, 'ESME_RINVMSGLEN'],
    [0x05, 'ESME_RALYBND'],
    [0x08, 'ESME_RSYSERR'],
    [0x0a, 'ESME_RINVSRCADR'],
    [0x0e, 'ESME_RINVPASWD'],
    [0x14, 'ESME_RMSGQFUL'],
    [0x33, 'ESME_RINVNUMDESTS'],
    [0x45, 'ESME_RSUBMITFAIL'],
    [0x58, 'ESME_RTHROTTLED'],
    [0x64, 'ESME_RX_T_APPN'],
    [0xc2, 'ESME_RINVPARLEN'],
    [0xfe, 'ESME_RDELIVERYFAILURE'],
    [0x104, 'ESME_RINVDCS'],
    [0x112, 'ESME_RINVBCASTCHANIND'],
    [0x09, '0x00000009'],
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
