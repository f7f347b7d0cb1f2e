/* `morsel price import` on a running gateway: while messages are sent, and after a kill in the middle of an import. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { morsel } from '../support/gateway/morsel.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { Tour } from '../support/gateway/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-prices-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** A price file with 41 and this many longer prefixes from 41790000 on. */
function deckOf(price: string, prefixes: number): string {
  const file = join(folder, `${price}.csv`);
  const lines = Array.from({ length: prefixes }, (_none, index) => `4179${String(index).padStart(4, '0')},${price}`);
  writeFileSync(file, ['prefix,price', `41,${price}`, ...lines].join('\n'));
  return file;
}

async function importDeck(tour: Tour, file: string, ...more: readonly string[]): Promise<unknown> {
  const words = ['price', 'import', file, '--list', 'default', '--replace', '--yes', '--json', ...more];
  const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
  assert.deepEqual([status, errors], [0, '']);
  return JSON.parse(out);
}

/** Sends messages on several connections until `stop`. */
function keepSending(tour: Tour): { stop(): Promise<number> } {
  const stopping = new AbortController();
  let sent = 0;
  const ended = Promise.all(
    Array.from({ length: 6 }, async () => {
      while (!stopping.signal.aborted) await tour.accept({ receiver: `+4179${String(1_000_000 + sent++)}` });
    }),
  );
  return {
    stop: async () => {
      stopping.abort();
      await ended;
      return sent;
    },
  };
}

describe('prices that are imported while messages are sent', () => {
  it('charge each message by the old version or by the new one, never by an incomplete version', async () => {
    await using tour = await Tour.open();
    const sending = keepSending(tour);
    const first = await importDeck(tour, deckOf('0.001', 8_000));
    const second = await importDeck(tour, deckOf('0.002', 6_000));
    const sent = await sending.stop();
    const versions = [first, second].map((each) => JSON.stringify(each).match(/"version":\d+/)?.[0]);
    assert.deepEqual(versions, ['"version":2', '"version":3']);
    const charged = await tour.readStore((store) => ({
      messages: store.count('select count(*) from message'),
      kinds: store.texts("select distinct price_version || ' ' || unit_price from message order by 1"),
      backwards: store.count(
        `select count(*) from (select price_version, lag(price_version) over (order by accepted_at, id) as former
          from message) where price_version < former`,
      ),
    }));
    assert.equal(charged.messages, sent);
    assert.equal(charged.backwards, 0);
    for (const each of charged.kinds) assert.ok(['1 7500', '2 1000', '3 2000'].includes(each), each);
    assert.ok(charged.kinds.includes('1 7500'), 'some were sent before the first import');
  });
});

/** The reason why a withdrawal of a missing version is refused. It shows whether an import is under way. */
async function whyKept(gateway: GatewayProcess): Promise<string> {
  return gateway.administer('POST', '/v1/price-lists/default/versions/99/withdraw', {}).then(() => '', String);
}

describe('price import', () => {
  it('that was killed after a part of the prices leaves no prices, and does not block the next import', async () => {
    const dataDir = join(folder, 'killed');
    {
      await using gateway = await GatewayProcess.start({ dataDir });
      const prices = [{ prefix: '41', price: '0.0075' }];
      await gateway.administer('POST', '/v1/price-lists/default/prices', { currency: 'EUR', prices });
      const lines = Array.from({ length: 40_000 }, (_none, index) => `4179${String(index).padStart(5, '0')},0.5\n`);
      const uploading = gateway
        .administer('POST', '/v1/price-lists/default/import', { file: lines.join('') })
        .then(() => 'published', String);
      await waitUntil('the import is under way', async () => /are being imported/.test(await whyKept(gateway)));
      await gateway.kill();
      assert.notEqual(await uploading, 'published');
    }
    {
      using store = StoreFile.copyOf(dataDir);
      assert.equal(store.count('select count(*) from price_import'), 1);
    }
    {
      await using gateway = await GatewayProcess.start({ dataDir });
      const shown = await gateway.administer('GET', '/v1/price-lists/default/prices');
      assert.match(shown.text, /"items":\[\{"prefix":"41","price":0\.0075,[^{]*"version":1\}\]/);
      await waitUntil('what was left is deleted', async () => /only the last version/.test(await whyKept(gateway)));
      await gateway.kill();
    }
    using store = StoreFile.copyOf(dataDir);
    assert.equal(store.count('select count(*) from price'), 1);
    assert.equal(store.count('select count(*) from price_list_version'), 1);
  });
});
