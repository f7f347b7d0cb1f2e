/* Carriers over TLS with right and wrong certificates. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { TlsOptions } from 'node:tls';
import { Authority } from './certificates.ts';
import { makeFolder, missing } from '../needs.ts';
import { NpmSmppCarrier } from './npm-smpp.ts';
import { GatewayProcess } from '../../support/gateway/gateway-process.ts';
import { waitUntil } from '../../support/wait-until.ts';
import type { Shown } from '../../support/json.ts';

const skip = missing('openssl');

/** A carrier and its certificate, its settings at the gateway, and the result. */
interface Case {
  readonly what: string;
  readonly server: TlsOptions;
  readonly settings: readonly string[];
  /** Either the link is bound, under the name in our certificate if we have one; or the link's last error. */
  readonly ends: { readonly boundAs: string | undefined } | { readonly lastError: RegExp };
}

/** One case of each kind: `packages/smpp/src/transport/tls.test.ts` has all certificates and their errors. */
function casesIn(folder: string): readonly Case[] {
  const ours = new Authority(folder, 'our-authority');
  const localhost = ours.issue('localhost');
  const client = ours.issue('morsel-client');
  const trusted = ['--tls', 'on', '--tls-ca-file', ours.own.certFile];
  const asking = { ca: ours.own.cert, requestCert: true, rejectUnauthorized: true };
  const withClient = ['--tls-certificate-file', client.certFile, '--tls-key-file', client.keyFile];
  return [
    { what: 'verified by our own authority', server: localhost, settings: trusted, ends: { boundAs: undefined } },
    {
      what: 'a certificate for another name',
      server: ours.issue('smsc.example'),
      settings: trusted,
      ends: { lastError: /certificate does not have the name/ },
    },
    {
      what: 'a carrier that wants our certificate',
      server: { ...localhost, ...asking },
      settings: [...trusted, ...withClient],
      ends: { boundAs: 'morsel-client' },
    },
    {
      what: 'a carrier that speaks no TLS',
      server: {},
      settings: trusted,
      ends: { lastError: /whether the carrier accepts TLS on this port|nothing listens|does not speak TLS/ },
    },
  ];
}

async function linkOf(program: GatewayProcess, name: string): Promise<Shown> {
  return program.ask(`v1/carriers/${name}`);
}

describe('a carrier over TLS', { skip }, () => {
  it('gets the bind with the password only if its certificate is right', async () => {
    using folder = makeFolder();
    await using program = await GatewayProcess.start({ dataDir: join(folder.path, 'data') });
    const cases = casesIn(folder.path);
    await using peers = new AsyncDisposableStack();
    for (const [at, { what, server, settings, ends }] of cases.entries()) {
      const peer = peers.use(await NpmSmppCarrier.start({ tls: server }));
      const name = `carrier-${at}`;
      const address = ['--host', 'localhost', '--port', String(peer.port)];
      const login = ['--system-id', 'morsel', '--password', 'secret'];
      await program.morsel('carrier', 'add', name, ...address, ...login, ...settings);
      const state = async () => (await linkOf(program, name)).at('linkStates', '0', 'state');
      if ('boundAs' in ends) {
        await waitUntil(`${what}: bound`, async () => (await state()) === 'bound');
        assert.deepEqual(peer.binds, [{ as: 'transceiver', certificate: ends.boundAs }], what);
        continue;
      }
      await waitUntil(`${what}: refused`, async () => (await state()) === 'waiting');
      assert.match(String((await linkOf(program, name)).at('linkStates', '0', 'lastError')), ends.lastError, what);
      assert.deepEqual(peer.commands, [], `${what}: nothing was said to it`);
    }
  });
});
