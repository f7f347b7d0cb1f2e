import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { ServerTls } from '@morsel/smpp';
import { readConfig } from '../../src/config.ts';
import { CertificateWatch, readCertificate } from '../../src/edge/certificates.ts';
import { SmppSite, host } from './gateway.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestClock } from '../support/test-clock.ts';
import { quietLog } from '../support/quiet-log.ts';

/* SMPP over TLS: when certificates change, sessions stay bound. */

const pems = join(import.meta.dirname, '../../../smpp/vectors/tls');
const folder = mkdtempSync(join(tmpdir(), 'morsel-tls-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
const settings = {
  MORSEL_SMPP_TLS_PORT: '0',
  MORSEL_SMPP_TLS_CERT: files.cert,
  MORSEL_SMPP_TLS_KEY: files.key,
};

function install(name: string): void {
  copyFileSync(join(pems, `${name}.pem`), files.cert);
  copyFileSync(join(pems, `${name}.key`), files.key);
}

async function serialAt(port: number): Promise<string> {
  const socket = connectTls({ port, host, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

describe('SMPP over TLS', () => {
  it('has its own port, and uses a renewed certificate (SIGHUP) for new connections only', async () => {
    install('carrier');
    await using site = await SmppSite.open(settings);
    const port = site.gateway.smppTlsPort ?? assert.fail('TLS is off');
    const session = await site.bind({}, { port, tls: { verify: false } });
    assert.equal((await site.sessions())[0]?.['tls'], true);
    const before = await serialAt(port);
    install('client');
    process.emit('SIGHUP');
    await waitUntil('the new certificate is in use', async () => (await serialAt(port)) !== before);
    const answer = await session.request({ command: 'query_sm', message_id: '1' });
    assert.ok(answer.kind === 'answered', 'the session lives on');
    assert.equal(session.phase, 'bound_trx');
    await session.unbind();
  });

  it('is off without a certificate, and both ports can be switched off', async () => {
    await using site = await SmppSite.open({ MORSEL_SMPP_PORT: 'off' });
    assert.deepEqual([site.gateway.smppPort, site.gateway.smppTlsPort], [null, null]);
    const off = readConfig({ ...settings, MORSEL_SMPP_TLS_PORT: 'off' });
    assert.ok(off.ok && off.value.smppTls === null);
    const half = readConfig({ MORSEL_SMPP_TLS_KEY: files.key });
    assert.match(half.ok ? '' : half.error, /^MORSEL_SMPP_TLS_KEY is set, but MORSEL_SMPP_TLS_CERT is not: set both$/);
  });
});

describe('files of a certificate', () => {
  it('are reloaded together when both have changed, without a signal', async () => {
    install('carrier');
    const renewed: ServerTls[] = [];
    const said: string[] = [];
    const log = {
      ...quietLog,
      info: (_fields: object, message: string) => void said.push(message),
      error: (fields: object) => void said.push(JSON.stringify(fields)),
    };
    const renew = (tls: ServerTls) => void renewed.push(tls);
    const clock = TestClock.still();
    using started = new DisposableStack();
    started.use(await CertificateWatch.start({ clock, files, log, renew, listener: 'SMPP over TLS' }));
    replace('client.pem', files.cert);
    await clock.advanceUntil('half of a change is logged', () => said.length === 1, 10_000);
    assert.match(said[0] ?? '', /our key does not belong to our certificate/);
    assert.equal(renewed.length, 0);
    replace('client.key', files.key);
    await clock.advanceUntil('the new pair is in use', () => renewed.length === 1, 10_000);
    const wanted = await readCertificate(files);
    assert.deepEqual(wanted.ok && renewed[0], wanted.ok && wanted.value);
    clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(said.length, 2, 'and nothing more is said while nothing changes');
  });
});

/** Replaces a file by renaming another: an overwritten file of equal size could look unchanged in a clock tick. */
function replace(pem: string, file: string): void {
  copyFileSync(join(pems, pem), `${file}.new`);
  renameSync(`${file}.new`, file);
}
