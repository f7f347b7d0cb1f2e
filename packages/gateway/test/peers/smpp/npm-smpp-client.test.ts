/* A client made of the npm package `smpp`, plain and over TLS. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setUpClient } from '../client-account.ts';
import { shown, talkInAllBinds } from './client-talk.ts';
import { DeliveringCarrier } from './delivering-carrier.ts';
import { makeFolder, missing } from '../needs.ts';
import { type NpmSmppBind, NpmSmppClient } from './npm-smpp-client.ts';
import { untilBound } from '../set-up.ts';
import { Relay } from '../wire/relay.ts';
import { assertWellFormed } from '../wire/wireshark.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';

const versions = [0x34, 0x33, 0x50] as const;

describe('a client made of the npm package smpp', () => {
  it('submits, queries, cancels, receives and unbinds in all three binds', { skip: missing('tshark') }, async () => {
    using folder = makeFolder();
    await using carrier = await DeliveringCarrier.start();
    await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
    await setUpClient(program, carrier);
    await untilBound(program);
    for (const version of versions) {
      await using relay = await Relay.start(program.smppPort);
      const peers: NpmSmppClient[] = [];
      const bind = async (options: NpmSmppBind) => {
        const peer = await NpmSmppClient.bind(options);
        peers.push(peer);
        return peer;
      };
      await talkInAllBinds({ program, carrier, bind, port: relay.port, version });
      assert.deepEqual(
        peers.flatMap((peer) => peer.unexpected),
        [],
        shown(version),
      );
      assertWellFormed(relay.passed);
    }
  });
});
