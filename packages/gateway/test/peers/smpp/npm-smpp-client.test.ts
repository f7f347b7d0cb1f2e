/* A client made of the npm package `smpp`, plain and over TLS. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Authority } from './certificates.ts';
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

  it(
    'works over TLS, too, and does not bind to a server with a certificate of another authority',
    { skip: missing('openssl') },
    async () => {
      using folder = makeFolder();
      const authority = new Authority(folder.path, 'authority');
      const { certFile, keyFile } = authority.issue('localhost');
      const environment = {
        MORSEL_SMPP_TLS_PORT: '0',
        MORSEL_SMPP_TLS_CERT: certFile,
        MORSEL_SMPP_TLS_KEY: keyFile,
      };
      await using carrier = await DeliveringCarrier.start();
      await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data'), environment });
      await setUpClient(program, carrier);
      await untilBound(program);
      const port = program.smppTlsPort;
      const own = authority.own.cert;
      const [version] = versions;
      const bind = (options: NpmSmppBind) => NpmSmppClient.bind({ ...options, authority: own });
      await talkInAllBinds({ program, carrier, bind, port, version });
      const other = new Authority(folder.path, 'other').own.cert;
      const options = { port, as: 'transceiver', version } as const;
      await assert.rejects(NpmSmppClient.bind({ ...options, authority: other }), /not connected/);
      await assert.rejects(NpmSmppClient.bind(options), /not bound/);
    },
  );
});
