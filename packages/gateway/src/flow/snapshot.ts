import { buildSnapshot } from '../core/snapshot.ts';
import type { Snapshot } from '../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../store/reader.ts';
import type { PriceTableCache } from './price-tables.ts';

/**
 * The operator's settings in memory: replaced whole by `reload`, after which carriers and admission use the new ones. The
 * users get none before `start`: the first settings bind links and call webhooks, and until then the start may be refused.
 */
export function keepSnapshot(needs: {
  reader: Pick<Reader, 'ask'>;
  tables: PriceTableCache;
  clock: { now(): Instant };
  /** The users of the settings, besides admission. */
  users: readonly { apply(snapshot: Snapshot): void }[];
}) {
  const nothing = {
    accounts: [],
    tokens: [],
    carriers: [],
    routes: [],
    carrierLists: [],
    priceLists: [],
    webhooks: [],
  };
  let snapshot = buildSnapshot(nothing, () => undefined);
  let asked = 0;
  let installed = 0;
  let isStarted = false;
  const install = () => {
    for (const user of needs.users) user.apply(snapshot);
  };
  return {
    snapshot: (): Snapshot => snapshot,
    reload: async () => {
      const turn = ++asked;
      const settings = await needs.reader.ask('settings', needs.clock.now());
      if (!settings.ok) throw new Error('the settings cannot be read');
      const tables = await needs.tables.of(settings.value);
      // A later reload came first: its settings are newer.
      if (turn < installed) return;
      installed = turn;
      snapshot = buildSnapshot(settings.value, tables);
      if (isStarted) install();
    },
    start: () => {
      isStarted = true;
      install();
    },
  };
}
