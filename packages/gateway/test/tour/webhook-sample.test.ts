import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';

/* The function for clients' developers in docs/webhooks.md works as it is printed there. */

const folder = mkdtempSync(join(tmpdir(), 'morsel-sample-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"type":"inbound","text":"héllo"}';

type IsOurs = (secret: string, headers: Readonly<Record<string, string>>, body: string) => unknown;

async function sample(): Promise<IsOurs> {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/webhooks.md'), 'utf8');
  const code = /```js\n([^`]*?function isOurs[^]*?)```/.exec(page)?.[1];
  assert.ok(code !== undefined, 'the page has the function');
  const file = join(folder, 'sample.mjs');
  writeFileSync(file, code);
  const loaded: { readonly isOurs: IsOurs } = await import(pathToFileURL(file).href);
  return loaded.isOurs;
}

function signed(at: Date): Record<string, string> {
  const signature = new Webhook(secret).sign('msg_1', at, body);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  };
}

it('the sample of the docs returns true for our signed requests, and false for requests of others', async () => {
  const isOurs = await sample();
  const headers = signed(new Date());
  assert.equal(isOurs(secret, headers, body), true);
  const two = { ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` };
  assert.equal(isOurs(secret, two, body), true, 'one of several signatures');
  const strange: readonly [what: string, headers: Record<string, string>, body: string][] = [
    ['nothing at all', {}, ''],
    ['another body', headers, `${body} `],
    ['an old one', signed(new Date(Date.now() - 600_000)), body],
    ['no time', { ...headers, 'webhook-timestamp': '' }, body],
    ['a timestamp that is no time', { ...headers, 'webhook-timestamp': 'now' }, body],
    ['octets of another length', { ...headers, 'webhook-signature': `v1,${'é'.repeat(44)}` }, body],
    [
      'another version',
      { ...headers, 'webhook-signature': String(headers['webhook-signature']).replace('v1', 'v2') },
      body,
    ],
    ['no signature', { ...headers, 'webhook-signature': '' }, body],
  ];
  for (const [what, given, content] of strange) assert.equal(isOurs(secret, given, content), false, what);
});
