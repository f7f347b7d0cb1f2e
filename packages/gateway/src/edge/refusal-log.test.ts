import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Rejection } from '../core/base/rejection.ts';
import { maskNumber } from '../core/number/masked.ts';
import { RefusalLog } from './refusal-log.ts';
import { shownCode } from './refusals.ts';
import { TestClock } from '../../test/support/test-clock.ts';

type Line = Readonly<Record<string, unknown>>;

/** A refusal log whose periods end when the test calls for it. */
function open({ isOn = true } = {}) {
  const lines: Line[] = [];
  const clock = TestClock.still();
  const log = {
    info: (fields: object, msg: string) => void lines.push({ ...fields, msg }),
    isLevelEnabled: () => isOn,
  };
  const refusals = new RefusalLog(log, clock);
  return { lines, refusals, endPeriod: () => clock.advance(10_000) };
}

describe('a refused request', () => {
  const receiver = '+41791234567';
  const rows: readonly { readonly rejection: Rejection; readonly more: Line }[] = [
    { rejection: { code: 'unauthorized' }, more: { status: 401 } },
    { rejection: { code: 'missing_parameter', field: 'text' }, more: { status: 400, field: 'text' } },
    {
      rejection: { code: 'text_not_encodable', detail: 'the text', character: 'Ж', position: 2 },
      more: { status: 400, field: 'text' },
    },
    { rejection: { code: 'no_price', receiver }, more: { status: 422, field: 'receiver', receiver: '+4179*****67' } },
    { rejection: { code: 'invalid_option', fault: 'value', detail: 'of a TLV' }, more: {} },
  ];
  for (const { rejection, more } of rows) {
    it(`with the code ${rejection.code} is one log line, without the client's values`, () => {
      const { lines, refusals } = open();
      refusals.note(rejection, { requestId: 'r-1', account: 'acme' });
      const line = Object.fromEntries(Object.entries(lines[0] ?? {}).filter(([, value]) => value !== undefined));
      assert.deepEqual(line, {
        requestId: 'r-1',
        account: 'acme',
        code: shownCode(rejection.code),
        ...more,
        msg: 'request refused',
      });
    });
  }

  it('that occurs often is only counted, separately for each account and code', () => {
    const { lines, refusals, endPeriod } = open();
    for (let count = 0; count < 100; count++) refusals.note({ code: 'unauthorized' }, { requestId: String(count) });
    refusals.note({ code: 'unauthorized' }, { account: 'acme' });
    refusals.note({ code: 'not_found', detail: 'nothing' }, {});
    assert.equal(lines.length, 12);
    endPeriod();
    assert.deepEqual(lines.slice(12), [
      {
        account: undefined,
        code: 'unauthorized',
        leftOut: 90,
        seconds: 10,
        msg: 'further refused requests were not logged',
      },
    ]);
    refusals.note({ code: 'unauthorized' }, {});
    assert.equal(lines.length, 14, 'a new period');
  });

  it('is counted together with others if there are too many kinds of refusals', () => {
    const { lines, refusals, endPeriod } = open();
    for (let count = 0; count < 1_200; count++) refusals.note({ code: 'unauthorized' }, { account: `a${count}` });
    assert.equal(lines.length, 1_000);
    endPeriod();
    assert.deepEqual(lines.at(-1), {
      code: 'others',
      leftOut: 200,
      seconds: 10,
      msg: 'further refused requests and binds were not logged',
    });
  });

  it('is counted separately from refused binds, which have their own limit', () => {
    const { lines, refusals, endPeriod } = open();
    const bind = { address: '192.0.2.1', systemId: 'acme', account: 'acme' };
    for (let count = 0; count < 100; count++) refusals.noteBind('wrong password', bind);
    for (let count = 0; count < 100; count++) {
      refusals.noteBind('unknown system_id', { address: '192.0.2.1', systemId: `x${count}` });
    }
    refusals.note({ code: 'unauthorized' }, {});
    assert.equal(lines.length, 21);
    assert.equal(lines[10]?.['systemId'], 'x0');
    assert.deepEqual(lines[0], { ...bind, reason: 'wrong password', msg: 'bind refused' });
    endPeriod();
    assert.deepEqual(lines.slice(21), [
      {
        systemId: 'acme',
        account: 'acme',
        reason: 'wrong password',
        leftOut: 90,
        seconds: 10,
        msg: 'further refused binds were not logged',
      },
      { reason: 'unknown system_id', leftOut: 90, seconds: 10, msg: 'further refused binds were not logged' },
    ]);
  });

  it('costs nothing if the log level is above info', () => {
    const { lines, refusals } = open({ isOn: false });
    refusals.note({ code: 'unauthorized' }, {});
    assert.deepEqual(lines, []);
  });
});

describe('a number in the log', () => {
  for (const [number, shown] of [
    ['+41791234567', '+4179*****67'],
    ['+2904123', '+29*****'],
    ['12', '12'],
  ] as const) {
    it(`${number} is ${shown}`, () => assert.equal(maskNumber(number), shown));
  }
});
