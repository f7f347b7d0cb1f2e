import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Document } from './document.ts';
import { startTestSite } from '../../../test/support/clients/http-site.ts';

const text = 'a document, '.repeat(100);
const rows: readonly (readonly [accepted: string | undefined, encoding: string | undefined])[] = [
  [undefined, undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br;q=0.9', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['brotli, xgzip', undefined],
];

for (const [accepted, encoding] of rows) {
  it(`a document is ${encoding ?? 'not compressed'} for a client that accepts ${accepted ?? 'anything'}`, () => {
    const document = new Document(() => Buffer.from(text), 'no-cache');
    const { body, headers } = document.in(accepted);
    const read = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
    assert.equal(read.toString(), text);
    const expected = { 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    assert.deepEqual(headers, encoding ? { ...expected, 'Content-Encoding': encoding } : expected);
    assert.equal(document.in(accepted).body, body, 'it is made once');
  });
}

it('/openapi.json is compressed, and clients may keep it for a while', async () => {
  await using site = await startTestSite();
  const headers = { 'accept-encoding': 'br' };
  const answer = await fetch(`http://127.0.0.1:${site.port}/openapi.json`, { headers });
  const names = ['content-encoding', 'cache-control', 'vary'];
  const seen = names.map((name) => answer.headers.get(name));
  assert.deepEqual(seen, ['br', 'public, max-age=300', 'Accept-Encoding']);
  assert.ok(Number(answer.headers.get('content-length')) < 20_000);
  assert.match(await answer.text(), /^\{"openapi":"3\.1\.0"/);
});
