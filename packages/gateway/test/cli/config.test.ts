/* The settings as a YAML file: export, plan, apply and rollback, and files with mistakes. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Gateway } from '../../src/app.ts';
import { toJson } from '../support/json.ts';
import { folder, morsel, served } from '../support/gateway/morsel.ts';

const settings = `
carriers:
  - name: alpha
    host: 127.0.0.1
    port: 1
    systemId: us
    password: !env ALPHA_PASSWORD
accounts:
  - { name: acme, currency: EUR, rate: 50/s, senders: [ACME, "+41*"] }
routes:
  - { prefix: "41", carrier: alpha }
webhooks:
  - { account: acme, url: https://example.com/sms, on: [receipt] }
`;

describe('settings in a file', () => {
  const file = join(folder, 'settings.yaml');
  const environment = { ALPHA_PASSWORD: 'pass-word' };
  const run = (words: string, content?: string) => {
    if (content !== undefined) writeFileSync(file, content);
    return morsel(words.replace('FILE', file).split(' '), { environment });
  };
  let gateway: Gateway;
  before(async () => (gateway = await served()));
  after(() => gateway.stop());

  it('are planned and applied in one commit; a second plan then has no changes', async () => {
    const plan = await run('config plan FILE', settings);
    assert.deepEqual([plan.status, plan.errors], [0, '']);
    assert.match(plan.out, /^\+ add carrier alpha\n {4}host: 127.0.0.1\n/);
    assert.match(plan.out, / {4}password: \(secret\)\n/);
    assert.match(
      plan.out,
      /\n4 to add, 0 to change, 0 to remove\nreads carriers\[0\].password: !env ALPHA_PASSWORD\n$/,
    );
    assert.equal((await run('config plan FILE --exit-code')).status, 1);
    const unasked = await run('config apply FILE');
    assert.equal(unasked.status, 1);
    assert.match(unasked.errors, /4 objects would change: nothing was changed; repeat the command with --yes/);
    const applied = await run('config apply FILE --yes --reason first');
    assert.equal(applied.status, 0, applied.errors);
    assert.match(applied.out, /4 objects changed, in one commit; .*\n.*\nwhsec_/s);
    const again = await run('config plan FILE --exit-code');
    assert.deepEqual(
      [again.status, again.out],
      [0, 'nothing to change\nreads carriers[0].password: !env ALPHA_PASSWORD\n'],
    );
    assert.doesNotMatch(plan.out + applied.errors + applied.out, /pass-word/);
  });

  it('are planned with old and new values, and can be rolled back', async () => {
    const changed = settings.replace('50/s', '60/s').replace(/webhooks:[^]*/, 'webhooks: []\n');
    const { out } = await run('config plan FILE', changed);
    assert.equal(
      out,
      '~ change account acme\n    rate: 50/s -> 60/s\n0 to add, 1 to change, 0 to remove\n' +
        '1 object not in the file stay; --prune would remove them: webhook acme https://example.com/sms\n' +
        'reads carriers[0].password: !env ALPHA_PASSWORD\n',
    );
    const { errors } = await run('config apply FILE --prune --yes');
    assert.match(
      errors,
      /- remove webhook acme https:\/\/example.com\/sms\n0 to add, 1 to change, 1 to remove\nreads [^\n]*\n$/,
    );
    const back = await run('config rollback --yes');
    assert.equal(back.status, 0, back.errors);
    assert.match(back.errors, /rate: 60\/s -> 50\/s/);
    assert.equal((await run('config plan FILE --exit-code', settings)).status, 0);
  });

  it('remove an account together with everything that it has', async () => {
    const more =
      'accounts:\n  - { name: gone, currency: EUR }\nroutes:\n  - { prefix: "42", carrier: alpha, account: gone }\n';
    const numbers = 'numbers:\n  - { number: "+41791112244", account: gone }\n';
    assert.equal((await run('config apply FILE --yes', more + numbers)).status, 0);
    const back = await run('config rollback --yes');
    assert.equal(back.status, 0, back.errors);
    assert.match(back.errors, /- remove account gone\n/);
  });

  it('are exported without secrets, and give another gateway the same settings', async () => {
    const exported = await run('config export');
    assert.doesNotMatch(exported.out, /pass-word|whsec_/);
    const into = join(folder, 'exported.yaml');
    assert.equal((await run(`config export ${into}`)).status, 0);
    assert.equal(readFileSync(into, 'utf8'), exported.out);
    assert.match((await run(`config export ${into}`)).errors, /exists already: name a new file/);
    await gateway.stop();
    gateway = await served();
    const withPassword = exported.out.replace('systemId: us', 'systemId: us\n    password: !env ALPHA_PASSWORD');
    const applied = await run('config apply FILE --yes', withPassword);
    assert.equal(applied.status, 0, applied.errors);
    assert.equal((await run('config export')).out, exported.out);
  });

  for (const [what, content, says] of [
    ['an unknown setting', settings.replace('rate:', 'rat:'), /:9:34: accounts\[0\]\.rat: .*did you mean rate/],
    ['a wrong value', settings.replace('port: 1', 'port: 0'), /:5:5: carriers\[0\]\.port: must be a whole number/],
    ['a missing setting', 'routes:\n  - prefix: "41"\n', /:2:5: routes\[0\]: carrier is missing/],
    [
      'a route to an unknown carrier',
      `${settings}  - { account: nobody, url: https://example.com/, on: [receipt] }\n`.replace(
        'carrier: alpha',
        'carrier: nobody',
      ),
      /:11:5: routes\[0\]: add route 41 nobody: there is no carrier named nobody\n.*:14:5: webhooks\[1\]: .*no account named nobody\n.*has 2 problems/,
    ],
    ['an unknown section', 'carrier: []\n', /:1:1: carrier: unknown section carrier/],
    ['an unknown tag', 'carriers: !run rm\n', /:1:11: Unresolved tag: !run/],
    [
      'a secret that is not there',
      settings.replace('ALPHA_', 'BETA_'),
      /variable BETA_PASSWORD of the file is not set/,
    ],
    [
      'a secret in a setting',
      settings.replace('host: 127.0.0.1', 'host: !env ALPHA_PASSWORD'),
      /:4:5: !env is only for secrets/,
    ],
    [
      'a carrier without a password',
      settings
        .replace(/name: alpha|carrier: alpha/g, (each) => each.replace('alpha', 'beta'))
        .replace(/ +password.*\n/, ''),
      /:3:5: carriers\[0\]: password of the new carrier beta is missing: give it as !env NAME/,
    ],
    ['an alias', 'accounts: &a [*a]\n', /:1:15: the alias \*a is not allowed: write the settings out\n.*has 1 problem/],
    ['6000 lists in lists', `accounts: ${'['.repeat(6_000)}`, /:1:110: the settings are nested .* 100 levels\n/],
    ['a prototype', '__proto__: []\n', /unknown section __proto__/],
  ] as const) {
    it(`are refused with the place of the fault, and nothing changes: ${what}`, async () => {
      const present = (await run('config export')).out;
      const { status, errors, out } = await run('config apply FILE --yes', content);
      assert.deepEqual([status, out], [2, '']);
      assert.match(errors, says);
      assert.equal((await run('config export')).out, present);
    });
  }

  it('keep numbers as they are written', async () => {
    const { out } = await run(
      'config plan FILE',
      `carriers:
  - { name: 0123, host: localhost, port: 2775, systemId: 0x10, password: 0123, systemType: 1e3 }
accounts:
  - { name: digits, currency: EUR, creditLimit: 10.50 }
`,
    );
    assert.match(out, /^\+ add carrier 0123\n[^]* systemId: 0x10\n[^]* systemType: 1e3\n/);
    assert.match(out, / creditLimit: 10.5\n/);
  });

  it('are planned with secrets that come from files', async () => {
    const password = join(folder, 'alpha.password');
    writeFileSync(password, 'pass-word\n');
    const withFile = settings.replace('!env ALPHA_PASSWORD', `!file ${password}`);
    const { out } = await run('config plan FILE', withFile);
    assert.match(out, new RegExp(`^reads carriers\\[0\\].password: !file ${password}$`, 'm'));
    const applied = await run('config apply FILE --yes', withFile.replace('port: 1', 'port: 2'));
    assert.match(applied.errors, new RegExp(`^reads carriers\\[0\\].password: !file ${password}$`, 'm'));
    const { out: json } = await run('config plan FILE --json');
    assert.deepEqual(toJson(JSON.parse(json))['references'], [`carriers[0].password: !file ${password}`]);
  });
});
