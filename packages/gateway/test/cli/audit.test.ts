import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { prepareDemo } from '@morsel/cli/running/demo-settings.ts';
import type { Gateway } from '../../src/app.ts';
import { toJson } from '../support/json.ts';
import { answer, answered, dataDir, folder, morsel, served } from '../support/gateway/morsel.ts';

/* The commands of the audit log: export, reasons that persons give, and the check that finds a changed entry. */

describe('the audit log on the command line', () => {
  let gateway: Gateway;
  before(async () => {
    gateway = await served();
    await answer(['account', 'add', 'acme', '--currency', 'EUR', '--reason', 'Vertrag für Mai', '--actor', 'Zoë']);
    await answer('operator add jane --role support');
    await answer('account set acme --parts-max 3 --reason spam');
  });
  after(() => gateway.stop());

  it('passes its check, until an entry is changed: then the check ends with status 1', async () => {
    const whole = await answered('audit verify');
    assert.deepEqual([whole['checked'], whole['faults']], [3, []]);
    const [head] = [whole['heads']].flat().map(toJson);
    const noted = [head?.['entry'], head?.['hash']].map(String).join(':');
    assert.equal((await morsel(`audit verify --head ${noted}`)).status, 0);
    const other = await morsel(['audit', 'verify', '--head', noted.replace('0-3:', '0-2:')]);
    assert.deepEqual([other.status, other.errors], [1, 'morsel: the audit log has 1 fault\n']);
    assert.match(other.out, /fault at 0-2: the entry has another hash than the noted one/);
    assert.match((await morsel('audit verify --head abc')).errors, /head must be an entry and its hash/);
    using database = new DatabaseSync(join(dataDir, 'morsel.db'), { timeout: 5_000 });
    database.exec("drop trigger audit_entry_is_never_changed; update audit_entry set reason = 'none' where number = 3");
    const { status, out, errors } = await morsel('audit verify');
    assert.match(out, /\nfault at 0-3: the hash does not fit: entry 3 was changed, or entry 2 was changed together/);
    assert.deepEqual([status, errors], [1, 'morsel: the audit log has 1 fault\n']);
  });
});

it('the audit log has an entry for the creation of every account and operator', async () => {
  const gateway = await served();
  await using stopping = new AsyncDisposableStack();
  stopping.defer(() => gateway.stop());
  const { signInLinks, clock } = gateway.operator;
  const empty = await answered('audit verify');
  assert.deepEqual(empty['faults'], []);
  const signedIn = await fetch(`${signInLinks.base}/console/link`, {
    method: 'POST',
    headers: { origin: signInLinks.base, 'content-type': 'application/json' },
    body: JSON.stringify({
      link: signInLinks.make(null, clock.now()).replace(/^.*#/, ''),
      operator: 'first',
      password: 'correct horse battery',
    }),
  });
  assert.equal(signedIn.status, 204);
  const file = join(folder, 'accounts.yaml');
  const accounts = Array.from({ length: 30 }, (_, at) => `  - { name: a${at}, currency: EUR }\n`);
  writeFileSync(file, `accounts:\n${accounts.join('')}`);
  await answer(`config apply ${file} --yes`);
  const simulated = { host: '127.0.0.1', port: 1, systemId: 'us', password: 'pass' };
  assert.ok((await prepareDemo(gateway.operator, simulated)).ok);
  const whole = await answered('audit verify');
  assert.deepEqual(whole['faults'], []);
});
