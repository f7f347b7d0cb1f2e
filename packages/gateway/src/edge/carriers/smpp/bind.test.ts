import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConnectError, listen, type BindAttempt, type Respond } from '@morsel/smpp';
import { smppSettings } from '../../../../test/support/store/routing-commands.ts';
import type { SmppProfile, SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { bindLink } from './bind.ts';

/** A carrier that records its binds and requests. It accepts binds unless `refuses` says otherwise. */
async function openSmsc(refuses: (attempt: BindAttempt) => boolean = () => false) {
  const binds: BindAttempt[] = [];
  const held: Respond[] = [];
  const server = await listen({
    port: 0,
    host: '127.0.0.1',
    system_id: 'smsc',
    authenticate: async (attempt) => {
      binds.push(attempt);
      if (refuses(attempt)) return { kind: 'refused', command_status: 0x0e };
      return { kind: 'admitted', handlers: () => ({ onRequest: (_pdu, respond) => void held.push(respond) }) };
    },
  });
  const session = (as: 'bind_transmitter' | 'bind_receiver') =>
    server.sessions.find(({ boundAs }) => boundAs === as) ?? assert.fail(`nobody is bound by ${as}`);
  return Object.assign(server, { binds, held, session });
}

function carrierAt(port: number, profile: Partial<SmppProfile>, more: Partial<SmppSettings> = {}): SmppSettings {
  return smppSettings(profile, { port, systemId: 'sender', password: 'secret', systemType: 'VMA', ...more });
}

function handlers() {
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  const signal = new AbortController().signal;
  return { closed, options: { signal, responseTimeoutMs: 2_000, onRequest: () => undefined, onClose: resolve } };
}

describe('a bind', () => {
  for (const [version, octet] of [
    ['3.4', 0x34],
    ['5.0', 0x50],
  ] as const) {
    it(`has version ${version} and the fields of the profile`, async () => {
      await using smsc = await openSmsc();
      const { options } = handlers();
      const session = await bindLink(carrierAt(smsc.port, { version, addressRange: '^41' }), options);
      const [attempt] = smsc.binds;
      const { interface_version, address_range, system_type } = attempt?.bind ?? {};
      assert.deepEqual([interface_version, address_range, system_type], [octet, '^41', 'VMA']);
      await session.unbind();
    });
  }

  it('of a pair goes to two addresses with two logins', async () => {
    await using one = await openSmsc();
    await using other = await openSmsc();
    const profile = { bind: 'separate', receiverPort: other.port, receiverSystemId: 'receiver' } as const;
    const { options } = handlers();
    const link = await bindLink(carrierAt(one.port, profile, { receiverPassword: 'other' }), options);
    const binds = [...one.binds, ...other.binds].map(({ bind }) => [bind.command, bind.system_id, bind.password]);
    assert.deepEqual(binds, [
      ['bind_transmitter', 'sender', 'secret'],
      ['bind_receiver', 'receiver', 'other'],
    ]);
    await link.unbind();
  });

  it('of a pair whose transmitter is refused leaves no receiver behind', async () => {
    await using smsc = await openSmsc(({ bind }) => bind.command === 'bind_transmitter');
    const { options } = handlers();
    await assert.rejects(
      bindLink(carrierAt(smsc.port, { bind: 'separate' }), options),
      (fault) => fault instanceof ConnectError && fault.command_status === 0x0e,
    );
    await waitUntil('nobody is bound', () => smsc.sessions.length === 0);
  });
});

describe('a pair', () => {
  it('whose receiver is lost waits for its answers in flight, and then ends once', async () => {
    await using smsc = await openSmsc();
    const { options, closed } = handlers();
    const link = await bindLink(carrierAt(smsc.port, { bind: 'separate' }), options);
    const { promise: answered, resolve: hear } = Promise.withResolvers<string>();
    link.ask({ command: 'submit_sm' }, (answer) => hear(answer.kind));
    await waitUntil('the message has come', () => smsc.held.length === 1);
    smsc.session('bind_receiver').destroy();
    await waitUntil('nothing more is sent', () => link.room === 0);
    smsc.held[0]?.(0, { message_id: 'x' });
    assert.equal(await answered, 'answered');
    await closed;
  });

  it('whose transmitter is lost ends', async () => {
    await using smsc = await openSmsc();
    const { options, closed } = handlers();
    const link = await bindLink(carrierAt(smsc.port, { bind: 'separate' }), options);
    smsc.session('bind_transmitter').destroy();
    await closed;
    assert.equal(link.room, 0);
  });
});
