/* `morsel price import` after a kill in the middle of an import. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { GatewayProcess } from '../support/gateway/gateway-process.ts';
import { StoreFile } from '../support/store/store-file.ts';
import { waitUntil } from '../support/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'morsel-prices-'));
after(() => rmSync(folder, { recursive: true, force: true }));

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
