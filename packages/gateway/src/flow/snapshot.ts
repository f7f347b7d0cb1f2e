import { buildSnapshot, type Snapshot } from '../core/snapshot.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Reader } from '../store/reader.ts';
import type { PriceTableCache } from './price-tables.ts';

/**
 * `reload` reads the settings and passes them to their users. No user gets settings before `start`, because users then
 * bind links and call webhooks.
 */
export function keepSnapshot(needs: {
  reader: Pick<Reader, 'ask'>;
  tables: PriceTableCache;
  clock: { now(): Instant };
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
  const users: { apply(snapshot: Snapshot): void }[] = [];
  const install = () => {
    for (const user of users) user.apply(snapshot);
  };
  return {
    snapshot: (): Snapshot => snapshot,
    addUser: (user: (typeof users)[number]): void => void users.push(user),
    reload: async () => {
      const turn = ++asked;
      const settings = await needs.reader.ask('settings', needs.clock.now());
      if (!settings.ok) throw new Error('the settings cannot be read from the store');
      const tables = await needs.tables.of(settings.value);
      // A later reload finished before this one, and its settings are newer.
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
