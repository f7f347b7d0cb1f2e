import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { BindFailures } from '../../../core/account/bind-failures.ts';
import { onlyNode } from '../../../flow/nodes/nodes.ts';
import type { PasswordVerdict } from '../../../flow/account/passwords.ts';
import { Admissions } from './admission.ts';
import { Sessions } from './sessions.ts';
import { machineClock } from '../../../runtime/clock.ts';
import { quietLog } from '../../../../test/support/quiet-log.ts';

const systemError = statuses.ESME_RSYSERR;

const nobody = { accounts: new Map(), logins: new Map() };
const everybody = {
  snapshot: () => nobody,
  isTaking: () => true,
  nodes: onlyNode,
  log: quietLog,
};

/** Admission without any login. The test decides how long the check of a password takes. */
function made() {
  const { promise, resolve } = Promise.withResolvers<PasswordVerdict>();
  const sessions = new Sessions({ ...everybody, clock: machineClock, answer: () => undefined });
  const admissions = new Admissions({
    ...everybody,
    refusals: { noteBind: () => undefined },
    sessions,
    passwords: { isKnown: () => false, isUnderWay: () => false, check: () => promise },
    failures: new BindFailures(),
    clock: machineClock,
    bound: () => undefined,
  });
  const bind = {
    command: 'bind_transceiver',
    command_status: 0,
    sequence_number: 1,
    system_id: 'nobody',
    password: 'wrong',
    system_type: '',
    interface_version: 0x34,
    addr_ton: 0,
    addr_npi: 0,
    address_range: '',
    tlvs: [],
  } as const;
  const decide = (address: string) => admissions.decide({ bind, address, port: 1 }, false);
  return { decide, end: () => resolve('wrong') };
}

describe('admission', () => {
  it('delays each ESME_RSYSERR by a second, for at most as many binds as a port has connections', async () => {
    const { decide, end } = made();
    const looked = Array.from({ length: 32 }, () => decide('192.0.2.1'));
    const order: string[] = [];
    const startedAt = performance.now();
    const one = async (name: string) => {
      const admission = await decide('192.0.2.1');
      order.push(name);
      assert.deepEqual(admission, { kind: 'refused', command_status: systemError });
    };
    await Promise.all([...Array.from({ length: 1_000 }, () => one('later')), one('at once')]);
    assert.equal(order[0], 'at once');
    assert.ok(performance.now() - startedAt >= 950);
    end();
    await Promise.all(looked);
  });
});
