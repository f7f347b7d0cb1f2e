import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect, ConnectError } from '@morsel/smpp';
import type { Gateway } from '../../src/app.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { answer, folder, morsel, served } from '../support/gateway/morsel.ts';
import { toJson, type Json } from '../support/json.ts';

/* The commands for SMPP logins and sessions, and the secrets that they never print. */

const fileSecret = 'FromFile7';
const pipeSecret = 'FromPipe8';
const nextSecrets = ['NextFile', 'NextPipe'] as const;
const wrongSecret = 'Wr0ngOne';

describe('the commands for clients over SMPP', () => {
  let gateway: Gateway;
  let log = '';
  let secrets: readonly string[] = [fileSecret, pipeSecret, wrongSecret, ...nextSecrets];
  let said = '';
  before(async () => {
    gateway = await served({ log: makeLog('trace', { write: (line) => void (log += line) }) });
    await answer('account add acme --currency EUR --smpp-binds 2 --smpp-data-coding-0 latin1');
  });
  after(() => gateway.stop());

  const bind = (system_id: string, password: string) =>
    connect({
      host: '127.0.0.1',
      port: Number(gateway.smppPort),
      bind: { command: 'bind_transceiver', system_id, password },
      onRequest: (_pdu, respond) => void respond(0),
    });

  async function say(words: string): Promise<string> {
    const { status, out, errors } = await morsel(words.split(' '));
    assert.deepEqual([status, errors], [0, ''], words);
    said += out;
    return out;
  }

  it('login add generates a password and shows it once, or takes one from a file or standard input and never shows it', async () => {
    const made = toJson(await answer('smpp-login add acme'));
    assert.equal(made['systemId'], 'acme');
    const password = String(made['password']);
    secrets = [...secrets, password];
    const file = join(folder, 'password');
    writeFileSync(file, `${fileSecret}\n`);
    said += await say(`smpp-login add acme --system-id file --password-file ${file} --from 127.0.0.0/8`);
    const piped = await morsel('smpp-login add acme --system-id pipe --password-stdin', {
      input: `${pipeSecret}\n`,
    });
    assert.equal(piped.status, 0);
    assert.match(piped.out, /Note: the password has 9 characters/);
    said += piped.out;
    for (const [system_id, secret] of [
      ['acme', password],
      ['file', fileSecret],
      ['pipe', pipeSecret],
    ] as const) {
      const session = await bind(system_id, secret);
      await session.unbind();
    }
    assert.match(await say('smpp-login list acme'), /^SYSTEM ID +ACCOUNT +FROM/);
    const text = await morsel('smpp-login add acme --system-id shown');
    assert.match(text.out, /^system_id {2}shown\npassword {3}\w{8}\n\nThe password is shown only this once\./);
  });

  it('show and close sessions, change and remove logins', async () => {
    const session = await bind('file', fileSecret);
    assert.match(await say('session list acme'), /transceiver +3\.4 +127\.0\.0\.1:\d+ +false +bound/);
    const [shown] = toList(toJson(await answer('session list'))['items']);
    assert.match(await say(`session close ${String(shown?.['id'])}`), /^closed:\n/);
    assert.equal(await session.closed, 'peer_unbound');
    assert.equal(await say('session list'), 'no client session is bound\n');
    const again = await bind('file', fileSecret);
    await say('smpp-login set file --from 192.0.2.0/24');
    assert.equal(await again.closed, 'peer_unbound');
    await say('smpp-login remove file');
    assert.match(await say('account show acme'), /\nsmpp sessions +2\nsmpp window +10\nsmpp data coding 0 +latin1\n/);
  });

  it('print no password, and neither does the log at its finest level', async () => {
    // One bind has a password in the place of the system_id.
    await Promise.all(
      [bind('acme', wrongSecret), bind(wrongSecret, 'acme')].map((refused) => assert.rejects(refused, ConnectError)),
    );
    await gateway.stop();
    assert.match(log, /"systemId":"acme","account":"acme","reason":"wrong password","msg":"bind refused"/);
    assert.match(log, /"address":"127\.0\.0\.1","reason":"unknown system_id","msg":"bind refused"/);
    for (const secret of secrets) {
      for (const text of [said, log]) assert.ok(!text.includes(secret), secret);
    }
  });
});

function toList(value: unknown): readonly Json[] {
  assert.ok(Array.isArray(value));
  return value.map((each: unknown) => toJson(each));
}
