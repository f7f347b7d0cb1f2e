import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setUpClient } from '../client-account.ts';
import { shown, talkInAllBinds } from './client-talk.ts';
import { DeliveringCarrier } from './delivering-carrier.ts';
import { makeFolder, missing } from '../needs.ts';
import { NetSmppClient } from './net-smpp-client.ts';
import { untilBound } from '../set-up.ts';
import { Relay } from '../wire/relay.ts';
import { assertWellFormed } from '../wire/wireshark.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';

describe('a client made of Net::SMPP', { skip: missing('Net::SMPP', 'tshark') }, () => {
  it('submits, queries, cancels, receives and unbinds in all three binds, and Wireshark reads every PDU', async () => {
    using folder = makeFolder();
    await using carrier = await DeliveringCarrier.start();
    await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
    await setUpClient(program, carrier);
    await untilBound(program);
    for (const version of [0x33, 0x34, 0x50]) {
      await using relay = await Relay.start(program.smppPort);
      const peers: NetSmppClient[] = [];
      const bind = async (options: Parameters<typeof NetSmppClient.bind>[0]) => {
        const peer = await NetSmppClient.bind(options);
        peers.push(peer);
        return peer;
      };
      await talkInAllBinds({ program, carrier, bind, port: relay.port, version });
      for (const kind of ['warning', 'unexpected', 'unbind']) {
        assert.deepEqual(
          peers.flatMap((peer) => peer.events(kind)),
          [],
          shown(version),
        );
      }
      assertWellFormed(relay.passed);
    }
  });
});
