import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statuses } from '@morsel/smpp';
import { SmppSite } from './gateway.ts';
import { waitUntil } from '../support/wait-until.ts';
import { done } from '../support/done.ts';

/* Which clients may bind, and the answers to refused binds. */

const wrongPassword = statuses.ESME_RINVPASWD;
const bindFailed = statuses.ESME_RBINDFAIL;

describe('binds of clients', () => {
  it('are logged with their requests: refusals with session and sequence number, PDUs with their headers', async () => {
    await using site = await SmppSite.open();
    const session = await site.bind();
    await session.request({ command: 'submit_sm', destination_addr: '41791230001' });
    const lines = site.log.map(({ level: _level, time: _time, ...line }) => line);
    const [header, refusal] = [
      lines.find(({ msg, command }) => msg === 'pdu' && command === 'submit_sm'),
      lines.find(({ msg }) => msg === 'request refused'),
    ];
    const sequence = header?.['sequence_number'];
    const of = { session: '1', account: 'acme' };
    const pdu = { command: 'submit_sm', command_length: 44, command_status: 0, sequence_number: sequence };
    assert.deepEqual(header, { ...of, direction: 'in', ...pdu, msg: 'pdu' });
    const why = { command: 'submit_sm', code: 'missing_parameter', status: 400, field: 'source_addr' };
    assert.deepEqual(refusal, { ...of, sequence, ...why, msg: 'request refused' });
    await session.unbind();
  });
});

// These tests wait for their refusals at the same time: each has its own gateway, without failures of other tests.
describe('binds that are refused', { concurrency: true }, () => {
  it('get the same answer after the same delay for unknown system_id, wrong password, removed login and wrong address', async () => {
    await using site = await SmppSite.open();
    done(
      await site.operator.login.add({ account: 'acme', systemId: 'away', password: 'Right-2', from: '192.0.2.0/24' }),
    );
    done(await site.operator.account.add({ name: 'fenced', currency: 'EUR' }));
    done(await site.operator.account.set({ account: 'fenced', from: '192.0.2.0/24' }));
    done(await site.operator.login.add({ account: 'fenced', systemId: 'fenced', password: 'Right-4' }));
    done(await site.operator.login.add({ account: 'acme', systemId: 'gone', password: 'Right-3' }));
    done(await site.operator.login.remove({ systemId: 'gone' }));
    const rows = [
      { system_id: 'nobody' },
      { system_id: '' },
      { password: 'wrong' },
      { password: '' },
      { password: 'Right-1Right-1Right-1' },
      { system_id: 'away', password: 'Right-2' },
      { system_id: 'away', password: 'wrong' },
      { system_id: 'fenced', password: 'Right-4' },
      { system_id: 'gone', password: 'Right-3' },
      { system_id: 'ACME' },
    ];
    // All binds at once, so that none is delayed by the failure of another.
    const refusals = await Promise.all(rows.map((row) => site.refusal(row)));
    for (const [at, { status, ms }] of refusals.entries()) {
      assert.equal(status, wrongPassword, JSON.stringify(rows[at]));
      assert.ok(ms >= 950, `${JSON.stringify(rows[at])} was refused after ${ms} ms`);
    }
    const right = await site.refusal();
    assert.deepEqual(right.status, 0, 'who has the right one is let in from the same address');
    // The log has the true reason.
    assert.deepEqual(reasonsIn(site), [
      ': unknown system_id',
      'ACME: unknown system_id',
      'acme: wrong password',
      'away: address not allowed',
      'fenced: address not allowed',
      'gone: unknown system_id',
      'nobody: unknown system_id',
    ]);
  });

  it('for too many binds or a suspended account get ESME_RBINDFAIL, but only with the right password', async () => {
    await using site = await SmppSite.open();
    assert.ok((await site.operator.account.set({ account: 'acme', smppBinds: '2' })).ok);
    // Five binds at once race for two sessions.
    const race = await Promise.allSettled(Array.from({ length: 5 }, () => site.bind()));
    const sessions = race.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    assert.equal(sessions.length, 2);
    assert.equal((await site.refusal()).status, bindFailed);
    assert.equal((await site.refusal({ password: 'wrong' })).status, wrongPassword);
    await sessions[0]?.unbind();
    await waitUntil('there is room again', async () => (await site.sessions()).length === 1);
    const session = await site.bind();
    assert.ok((await site.operator.account.suspend({ account: 'acme' })).ok);
    assert.equal(await session.closed, 'peer_unbound');
    assert.equal((await site.refusal()).status, bindFailed);
    assert.equal((await site.refusal({ password: 'wrong' })).status, wrongPassword);
    assert.ok((await site.operator.account.resume({ account: 'acme' })).ok);
    assert.equal((await site.refusal()).status, 0);
    assert.deepEqual(reasonsIn(site), [
      'acme: account suspended',
      'acme: too many binds of the account',
      'acme: wrong password',
    ]);
  });
});

describe('logins', { concurrency: true }, () => {
  it('need a changed password from the next bind on; when removed, their sessions are closed and the name is free', async () => {
    await using site = await SmppSite.open();
    const session = await site.bind();
    done(await site.operator.login.set({ systemId: 'acme', password: 'Newer-1' }));
    assert.equal((await site.refusal()).status, wrongPassword, 'the one that was known a moment ago');
    assert.equal((await site.refusal({ password: 'Newer-1' })).status, 0);
    assert.equal(session.phase, 'bound_trx');
    done(await site.operator.login.remove({ systemId: 'acme' }));
    assert.equal(await session.closed, 'peer_unbound');
    assert.ok((await site.operator.account.add({ name: 'other', currency: 'EUR' })).ok);
    done(await site.operator.login.add({ account: 'other', systemId: 'acme', password: 'Others-1' }));
    assert.equal((await site.refusal({ password: 'Newer-1' })).status, wrongPassword);
    assert.equal((await site.refusal({ password: 'Others-1' })).status, 0);
    const owners = async (fields = {}) => {
      const { items } = done(await site.operator.login.list(fields));
      return items.map(({ account, removedAt }) => [account, removedAt === null]);
    };
    assert.deepEqual(await owners(), [['other', true]], 'of one system_id one login is listed');
    assert.deepEqual(
      await owners({ removed: 'true' }),
      [
        ['other', true],
        ['acme', false],
      ],
      'who had it before is known',
    );
  });
});

/** The reasons of refused binds in the log, each once. */
function reasonsIn({ log }: SmppSite): string[] {
  const refused = log.filter(({ msg }) => msg === 'bind refused');
  return [...new Set(refused.map(({ systemId, reason }) => `${String(systemId)}: ${String(reason)}`))].toSorted();
}
