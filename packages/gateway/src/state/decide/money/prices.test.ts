import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import { PriceTable } from '../../../core/money/price-table.ts';
import { viewOf } from '../../../../test/support/store/operate.ts';
import { TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import { stories, tell } from '../../../../test/support/store/stories/story.ts';
import { readPriceTable } from '../../../store/views/money/prices.ts';

const list = 'default';
const hourMs = 3_600_000;

type Model = ReadonlyMap<string, Micros>;
type Changes = ReadonlyMap<string, Micros | null>;

/** A version that the operator made: its changes, or the whole list. */
interface Given {
  readonly version: number;
  readonly effectiveAt: number;
  readonly changes: Changes;
  readonly whole: Model | undefined;
}

/** When a version takes effect, and whether it replaces the list. */
interface Terms {
  readonly effectiveAt: number | undefined;
  readonly isWhole: boolean;
}

const atOnce: Terms = { effectiveAt: undefined, isWhole: false };
const said = (changed: Changes) => [...changed].map(([prefix, price]) => `p${prefix}=${price ?? 'none'}`).join(' ');

/** A trial of random steps, with each version as a map. The price list was made with the first account. */
class Trial {
  readonly store: TestStore;
  /** The versions in the order in which they take effect. */
  readonly given: Given[] = [];
  #last = 0;

  constructor(store: TestStore) {
    this.store = store;
  }

  async set(changed: ReadonlyMap<string, Micros>): Promise<void> {
    await tell(this.store, `prices ${said(changed)} -> ok`);
    this.#keep(++this.#last, changed, atOnce);
  }

  async begin({ effectiveAt, isWhole }: Terms = atOnce): Promise<void> {
    const { now } = this.store;
    const from = this.given.findLast((each) => each.effectiveAt <= (effectiveAt ?? now))?.version ?? 0;
    const at = effectiveAt === undefined ? '' : `at=${effectiveAt - now}ms`;
    await tell(this.store, `import id=${++this.#last} from=${from} ${at} ${isWhole ? 'whole' : ''} -> ok`);
  }

  async stage(changes: Changes): Promise<void> {
    await tell(this.store, `stage id=${this.#last} ${said(changes)} -> ok`);
  }

  async publish(changed: Changes, terms: Terms = atOnce): Promise<void> {
    const { effectiveAt } = terms;
    const at = effectiveAt === undefined ? '' : `at=${effectiveAt - this.store.now}ms`;
    await tell(this.store, `publish ${changed.size} id=${this.#last} ${at} -> ok`);
    this.#keep(this.#last, changed, terms);
  }

  async sweep(): Promise<void> {
    const id = String(this.#last);
    for (let isDone = false; !isDone;) {
      const swept = await this.store.one<'sweep-prices'>({ kind: 'sweep-prices', at: this.store.now, id, max: 3 });
      assert.ok(swept.ok);
      ({ isDone } = swept.value);
    }
    await tell(this.store, 'rows price_import = 0');
  }

  /** The prices of each version: its changes on top of the version before it, or a whole list. */
  models(): ReadonlyMap<number, Model> {
    const models = new Map<number, Model>();
    let before: Model = new Map();
    for (const { version, changes: changed, whole } of this.given) {
      before = whole ?? changedModel(before, changed);
      models.set(version, before);
    }
    return models;
  }

  /** Checks every version that ever existed, in every way in which it is read. */
  async check(): Promise<void> {
    const models = this.models();
    for (const [version, model] of models) {
      const table = new PriceTable(await readPriceTable(this.store.queries, { priceList: 1, version }));
      assert.equal(table.size, model.size);
      for (const [prefix, price] of model) assert.equal(table.get(prefix), price);
      const sorted = [...model].toSorted(([a], [b]) => (a < b ? -1 : 1));
      assert.equal(
        await this.#text(version),
        sorted.map(([prefix, price]) => `${prefix},${formatMicros(price)}\n`).join(''),
      );
      const page = await this.#page(version, '1');
      assert.deepEqual(
        page,
        sorted.filter(([prefix]) => prefix.startsWith('1')),
      );
    }
    const versions = (await viewOf(this.store.queries, 'price.versions', { list })).versions.map(
      ({ version }) => version,
    );
    assert.deepEqual(versions, [...models.keys()]);
  }

  async #text(version: number): Promise<string> {
    return (await viewOf(this.store.queries, 'price.export', { list, version })).prices;
  }

  async #page(version: number, beginning: string): Promise<[string, Micros][]> {
    const rows: [string, Micros][] = [];
    for (let after: string | undefined; ;) {
      const page = await viewOf(this.store.queries, 'price.show', {
        list,
        version,
        prefix: beginning,
        after,
        limit: 3,
      });
      const found = page.items.filter(({ prefix }) => prefix.startsWith(beginning));
      rows.push(...found.map(({ prefix, price }): [string, Micros] => [prefix, price]));
      if (page.next === null) return rows;
      after = page.next;
    }
  }

  #keep(version: number, changed: Changes, { effectiveAt, isWhole }: Terms): void {
    const from = effectiveAt ?? this.store.now;
    const place = this.given.findLastIndex((each) => each.effectiveAt <= from);
    const before = this.models().get(this.given[place]?.version ?? 0) ?? new Map();
    const whole = isWhole ? changedModel(before, changed) : undefined;
    this.given.splice(place + 1, 0, { version, effectiveAt: from, changes: changed, whole });
  }
}

function changedModel(before: Model, changed: Changes): Model {
  const model = new Map(before);
  for (const [prefix, price] of changed) {
    if (price === null) model.delete(prefix);
    else model.set(prefix, price);
  }
  return model;
}

const prefix = fc.oneof(fc.constant(''), fc.stringMatching(/^[12]{1,4}$/));
const price = fc.bigInt({ min: 0n, max: 10n ** 15n }).map(toMicros);
const changes = fc
  .uniqueArray(fc.tuple(prefix, fc.option(price)), { selector: ([each]) => each, minLength: 1, maxLength: 12 })
  .map((rows) => new Map(rows.toSorted(([a], [b]) => (a < b ? -1 : 1))));
const step = fc.record({
  kind: fc.constantFrom('set', 'import', 'give up', 'crash'),
  changes,
  /** After how many prices an import is split into two commands. */
  cut: fc.nat(12),
  /** The hours until an import takes effect; 0 at once. */
  hours: fc.nat(4),
  isWhole: fc.boolean(),
  /** The time until the next step. */
  waitMs: fc.constantFrom(1_000, hourMs),
});

describe('the versions of a price list', () => {
  it('never change, whatever is imported, given up or killed later', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        await using store = await TestStore.open();
        const trial = new Trial(store);
        for (const { kind, changes: wanted, cut, hours, isWhole, waitMs } of steps) {
          store.now += waitMs;
          const terms = { effectiveAt: hours === 0 ? undefined : store.now + hours * hourMs + 500, isWhole };
          if (kind === 'set') {
            const set = [...wanted].flatMap(([each, amount]): [string, Micros][] =>
              amount === null ? [] : [[each, amount]],
            );
            if (set.length > 0) await trial.set(new Map(set));
          } else {
            await trial.begin(terms);
            await trial.stage(new Map([...wanted].slice(0, cut)));
            await trial.check();
            if (kind === 'crash') await store.restart();
            if (kind === 'import') {
              await trial.stage(new Map([...wanted].slice(cut)));
              await trial.publish(wanted, terms);
            } else await trial.sweep();
          }
          await trial.check();
        }
        assert.deepEqual(await store.moneyFaults(), []);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

describe('an import of prices', () => {
  stories({
    'is alone on its list: no other command changes the list meanwhile, and a second import is refused': `
      import id=first -> ok; import id=second -> in_use; prices p41=1 -> in_use; restart; prices p41=1 -> in_use
      prices another currency=EUR p41=1 -> ok`,
    'was made for one version of the list, and is refused for another': `
      prices p41=1; prices p41=1; import from=1 -> conflict; import from=2 -> ok`,
    'takes no more prices when it has ended, even in the group in which it is given up': `
      import; stage p1=1 -> ok; stage p2=1 & sweep-prices & stage p3=1 & publish 3 -> ok & ok & does_not_exist & does_not_exist
      sweep-prices & sweep-prices; rows price = 0; rows price_import = 0; prices p41=1 -> ok`,
    'of a new list makes the list together with its version, and not earlier': `
      import new base=default -> does_not_exist; import new base=default currency=USD -> invalid_parameter
      import new base=default currency=EUR -> ok; rows price_list = 1; prices new currency=EUR p41=1 -> in_use; restart
      prices third currency=EUR p41=1 -> ok; publish -> ok; rows price_list = 3; rows price_list name=new base=1 = 1`,
  });
});

describe('versions in time', () => {
  stories({
    'take effect in order, and the newest future version can be withdrawn': `
      prices p41=1; import from=1 at=1h; publish at=1h -> ok; import from=2 -> conflict; import from=1 at=1h -> conflict
      withdraw 1 -> does_not_exist; withdraw 2 -> ok; prices p41=1 -> in_use; sweep-prices id=swept; prices p41=1 -> ok
      prices-of = 41:1`,
    'cannot be withdrawn within ten seconds before they take effect': `
      import at=1h; publish at=1h; wait 3599s; withdraw 1 -> conflict`,
    'that replace the list keep one price of a prefix that a group changes twice before them': `
      import at=1h whole; publish at=1h & prices p41=1 p42=1 & prices p41=2 p42=2; prices p41=3 p42=3 & prices p41=4 p42=4
      rows price = 10; prices-of = 41:4 42:4; prices-of at=1h =`,
    'of an import are refused if another version took effect before them': `
      import at=1h; publish at=1h; import id=late; wait 2h; publish id=late -> conflict`,
    'in the future are limited in number': `
      ${[0, 1, 2, 3, 4, 5, 6, 7].map((at) => `import id=${at} from=${at} at=${at + 1}h; publish id=${at} at=${at + 1}h -> ok`).join('; ')}
      import id=8 from=8 at=9h -> conflict`,
  });
});

describe('the base of a list', () => {
  const lists = ['a', 'b', 'c', 'd'].map((name) => `prices ${name} currency=EUR p41=1`).join('; ');
  stories({
    'is a list of the same currency, in no circle, and in a chain of four at most': `
      ${lists}; prices dollar currency=USD p41=1; base a a -> invalid_parameter; base a dollar -> invalid_parameter
      base a nobody -> does_not_exist; base a b & base b c -> ok & ok; base c a -> invalid_parameter; base c d -> ok
      base d default -> invalid_parameter; base default a -> invalid_parameter
      base a none & base default b & base a b -> ok & ok & ok`,
    "is shown with it: the list's own price where both have a prefix, and the prices of prefixes between": `
      prices upper currency=EUR p41=1 p4179=2; prices p41=9 p417=8 p4178=7; base upper default
      prices-of upper = 41:1 417:8@default 4178:7@default 4179:2`,
    'is in use after the command that set it': `
      prices lower currency=EUR p41=1; base default lower & no-prices lower -> ok & in_use`,
    'still explains former prices after a change, also if the clock was set back': `
      prices p49=5; prices other currency=EUR p49=6; prices upper currency=EUR p41=1; wait 1h; base upper default
      wait 1h; base upper other; wait 1h; base upper none; wait -10h; base upper default & base upper default
      prices-of upper at=7h = 41:1; prices-of upper at=8h = 41:1 49:5@default
      prices-of upper at=9h = 41:1 49:6@other; prices-of upper at=10h = 41:1 49:5@default`,
  });

  it('is shown page by page with it', async () => {
    await using store = await TestStore.open();
    await tell(store, 'prices upper currency=EUR p41=1 p4179=2; prices p41=9 p417=8 p4178=7; base upper default');
    const wanted = { list: 'upper', at: store.now, limit: 10, prefix: '4178' };
    // The price of a shorter prefix, which holds for the other numbers, comes first.
    const prefixes = async (more: object) =>
      (await viewOf(store.queries, 'price.show', { ...wanted, ...more })).items.map((each) => each.prefix);
    assert.deepEqual(await prefixes({}), ['417', '4178']);
    assert.deepEqual(await prefixes({ after: `${store.now}/417` }), ['4178']);
    assert.deepEqual(await prefixes({ prefix: '4' }), ['41', '417', '4178', '4179']);
    const first = await viewOf(store.queries, 'price.show', { ...wanted, limit: 1 });
    assert.equal(first.next, `${store.now}/417`);
  });
});
