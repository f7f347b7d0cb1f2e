import type { CommandOf } from '../../commands.ts';
import type { MadeImport } from './price-import.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { formatMicros, toMicros, type Micros } from '@morsel/api/values/money.ts';
import { PriceTable } from '../../../core/money/price-table.ts';
import { TestStore, propertyRuns } from '../../../../test/support/store/store.ts';
import { priceViews, readPriceTable } from '../../../store/views/money/prices.ts';
import { operate } from '../../../../test/support/store/operate.ts';
import type { Queries } from '../../../store/views/queries.ts';

const list = 'default';
const hourMs = 3_600_000;

type Model = ReadonlyMap<string, Micros>;

/** A version that the operator made: its changes, or the whole list. */
interface Given {
  readonly version: number;
  readonly effectiveAt: number;
  readonly changes: ReadonlyMap<string, Micros | null>;
  readonly whole: Model | undefined;
}

/** When a version takes effect, and whether it replaces the list. */
interface Terms {
  readonly effectiveAt: number | undefined;
  readonly isWhole: boolean;
}

const atOnce: Terms = { effectiveAt: undefined, isWhole: false };

/** A trial of random steps, with each version as a map. The price list was made with the first account. */
class Trial {
  readonly store: TestStore;
  readonly queries: Queries;
  /** The versions in the order in which they take effect. */
  readonly given: Given[] = [];
  #last = 0;
  #imports = 0;

  constructor(store: TestStore) {
    this.store = store;
    this.queries = store.queries;
  }

  async set(changed: ReadonlyMap<string, Micros>): Promise<void> {
    const prices = [...changed].map(([prefix, unitPrice]) => ({ prefix, unitPrice }));
    const version = versionIn(await this.store.one(setCommand(this.store, { prices })));
    this.#keep(version, changed, atOnce);
  }

  async begin({ effectiveAt, isWhole }: Terms = atOnce): Promise<string> {
    const { now: at } = this.store;
    const id = `import-${++this.#imports}`;
    const from = this.given.findLast((each) => each.effectiveAt <= (effectiveAt ?? at))?.version ?? 0;
    const begun = await this.store.one<'begin-price-import'>(beginCommand({ at, id, from, effectiveAt, isWhole }));
    assert.ok(begun.ok, JSON.stringify(begun));
    this.#last += 1;
    assert.equal(begun.value.version, this.#last);
    return id;
  }

  async stage(id: string, changes: ReadonlyMap<string, Micros | null>): Promise<void> {
    const prices = [...changes].map(([prefix, unitPrice]) => ({ prefix, unitPrice }));
    const staged = await this.store.one<'stage-prices'>({ kind: 'stage-prices', at: this.store.now, id, prices });
    assert.ok(staged.ok);
  }

  async publish(id: string, changed: ReadonlyMap<string, Micros | null>, terms: Terms = atOnce): Promise<void> {
    const { effectiveAt } = terms;
    const { now: at } = this.store;
    const version = versionIn(await this.store.one(publishCommand({ at, id, effectiveAt, changes: changed.size })));
    this.#keep(version, changed, terms);
  }

  async sweep(id: string): Promise<void> {
    for (let isDone = false; !isDone;) {
      const swept = await this.store.one<'sweep-prices'>({ kind: 'sweep-prices', at: this.store.now, id, max: 3 });
      assert.ok(swept.ok);
      ({ isDone } = swept.value);
    }
    assert.equal(await this.store.value('select count(*) from price_import'), 0);
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
      const table = new PriceTable(await readPriceTable(this.queries, { priceList: 1, version }));
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
    const versions = (await versionsIn(this.queries, list)).versions.map(({ version }) => version);
    assert.deepEqual(versions, [...models.keys()]);
  }

  async #text(version: number): Promise<string> {
    const page = await priceViews['price.export'](this.queries, { list, version, now: 0, caller });
    assert.ok(page.ok);
    return page.value.prices;
  }

  async #page(version: number, beginning: string): Promise<[string, Micros][]> {
    const rows: [string, Micros][] = [];
    for (let after: string | undefined; ;) {
      const page = await pageIn(this.queries, { list, version, prefix: beginning, after, limit: 3 });
      const found = page.items.filter(({ prefix }) => prefix.startsWith(beginning));
      rows.push(...found.map(({ prefix, price }): [string, Micros] => [prefix, price]));
      if (page.next === null) return rows;
      after = page.next;
    }
  }

  #keep(version: number, changed: ReadonlyMap<string, Micros | null>, { effectiveAt, isWhole }: Terms): void {
    const from = effectiveAt ?? this.store.now;
    const place = this.given.findLastIndex((each) => each.effectiveAt <= from);
    const before = this.models().get(this.given[place]?.version ?? 0) ?? new Map();
    const whole = isWhole ? changedModel(before, changed) : undefined;
    this.given.splice(place + 1, 0, { version, effectiveAt: from, changes: changed, whole });
    this.#last = version;
  }
}

function changedModel(before: Model, changed: ReadonlyMap<string, Micros | null>): Model {
  const model = new Map(before);
  for (const [prefix, price] of changed) {
    if (price === null) model.delete(prefix);
    else model.set(prefix, price);
  }
  return model;
}

function beginCommand(more: Partial<CommandOf<'begin-price-import'>> = {}): CommandOf<'begin-price-import'> {
  const rest = {
    at: 0,
    id: 'import',
    list,
    currency: undefined,
    base: undefined,
    from: 0,
    effectiveAt: undefined,
    isWhole: false,
  };
  return { kind: 'begin-price-import', ...rest, ...more };
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
            const id = await trial.begin(terms);
            await trial.stage(id, new Map([...wanted].slice(0, cut)));
            await trial.check();
            if (kind === 'crash') await store.restart();
            if (kind === 'import') {
              await trial.stage(id, new Map([...wanted].slice(cut)));
              await trial.publish(id, wanted, terms);
            } else await trial.sweep(id);
          }
          await trial.check();
        }
        assert.deepEqual(await store.moneyFaults(), []);
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});

/** The sentence with which a command is refused; fails if it is not refused. */
async function refusal(store: TestStore, command: Parameters<TestStore['apply']>[0]): Promise<string> {
  const [result] = await store.apply(command);
  assert.ok(result && !result.ok);
  return 'detail' in result.error ? result.error.detail : result.error.code;
}

type Published = Partial<MadeImport> & { at: number; id: string; effectiveAt?: number | undefined; changes: number };

function setCommand(
  { now: at }: TestStore,
  {
    prices = pricesOf({ 41: 1n }),
    ...more
  }: { list?: string; currency?: string; prices?: ReturnType<typeof pricesOf> } = {},
): CommandOf<'operate'> {
  const asked = prices.map(({ prefix: digits, unitPrice }) => ({ prefix: digits, price: unitPrice }));
  return operate('price.set', { list, ...more, prices: asked, allowFree: true }, { at });
}

function publishCommand({ at, id, effectiveAt, changes: count }: Published): CommandOf<'operate'> {
  // What is shown to the operator is not looked at.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const shown = {} as MadeImport['shown'];
  return operate('price.import', { file: '', list, effectiveAt }, { at, made: { id, changes: count, shown } });
}

function baseCommand(at: number, upper: string, base: string | null): CommandOf<'operate'> {
  return operate('price.base', { list: upper, base }, { at });
}

function withdrawCommand(at: number, version = 2): CommandOf<'operate'> {
  return operate('price.withdraw', { list, version }, { at, made: { id: 'swept' } });
}

/** The number of the version that a command has made. */
function versionIn(result: Awaited<ReturnType<TestStore['one']>>): number {
  const found = /"version":(\d+)/.exec(
    JSON.stringify(result, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  return Number(found?.[1] ?? assert.fail('no version was made'));
}

const caller = 'test';

async function versionsIn(queries: Queries, of: string) {
  const found = await priceViews['price.versions'](queries, { list: of, now: 0, caller });
  assert.ok(found.ok);
  return found.value;
}

async function pageIn(
  queries: Queries,
  wanted: Omit<Parameters<(typeof priceViews)['price.show']>[1], 'now' | 'caller'>,
) {
  const page = await priceViews['price.show'](queries, { ...wanted, now: 0, caller });
  assert.ok(page.ok);
  return page.value;
}

async function done(store: TestStore, ...commands: Parameters<TestStore['apply']>): Promise<void> {
  for (const result of await store.apply(...commands)) assert.ok(result.ok, JSON.stringify(result));
}

describe('an import of prices', () => {
  it('is alone on its list: no other command changes the list meanwhile, and a second import is refused', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    await done(store, beginCommand({ at, id: 'first' }));
    assert.match(await refusal(store, beginCommand({ at, id: 'second' })), /are being imported/);
    assert.match(await refusal(store, setCommand(store)), /are being imported/);
    await store.restart();
    assert.match(await refusal(store, setCommand(store)), /are being imported/);
    await done(store, setCommand(store, { list: 'another', currency: 'EUR' }));
  });

  it('was made for one version of the list, and is refused for another', async () => {
    await using store = await TestStore.open();
    await done(store, setCommand(store), setCommand(store));
    assert.match(
      await refusal(store, beginCommand({ at: store.now, from: 1 })),
      /made for version 1 .*version 2 is in effect/,
    );
  });

  it('takes no more prices when it has ended, even in the group in which it is given up', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const stage = (each: string) => {
      const prices = [{ prefix: each, unitPrice: toMicros(1n) }];
      return { kind: 'stage-prices', at, id: 'import', prices } as const;
    };
    const sweep = { kind: 'sweep-prices', at, id: 'import', max: 10 } as const;
    await done(store, beginCommand({ at }), stage('1'));
    const results = await store.apply(stage('2'), sweep, stage('3'), publishCommand({ at, id: 'import', changes: 3 }));
    assert.deepEqual(
      results.map((result) => result.ok),
      [true, true, false, false],
    );
    await done(store, sweep, sweep);
    assert.equal(await store.value('select count(*) from price'), 0);
    assert.equal(await store.value('select count(*) from price_import'), 0);
    await done(store, setCommand(store));
  });

  it('of a new list makes the list together with its version, and not earlier', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const begin = beginCommand({ at, list: 'new', currency: 'EUR', base: list });
    assert.match(await refusal(store, { ...begin, currency: undefined }), /give a currency to create it/);
    assert.match(await refusal(store, { ...begin, currency: 'USD' }), /is in EUR, but new is in USD/);
    await done(store, begin);
    assert.equal(await store.value('select count(*) from price_list'), 1);
    assert.match(await refusal(store, setCommand(store, { list: 'new', currency: 'EUR' })), /are being imported/);
    await store.restart();
    await done(store, setCommand(store, { list: 'third', currency: 'EUR' }));
    await done(store, publishCommand({ at, id: 'import', changes: 0 }));
    assert.equal(await store.value("select base from price_list where name = 'new'"), 1);
    assert.equal(await store.value('select count(distinct id) from price_list'), 3);
  });
});

describe('versions in time', () => {
  it('take effect in order, and the newest future version can be withdrawn', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const effectiveAt = at + hourMs;
    await done(store, setCommand(store), beginCommand({ at, from: 1, effectiveAt }));
    await done(store, publishCommand({ at, id: 'import', effectiveAt, changes: 0 }));
    assert.match(await refusal(store, beginCommand({ at, from: 2 })), /made for version 2 .*version 1 is in effect/);
    assert.match(
      await refusal(store, beginCommand({ at, from: 1, effectiveAt })),
      /version 2 is in effect at that time/,
    );
    assert.match(await refusal(store, withdrawCommand(at, 1)), /only the last version .*this is version 2/);
    assert.match(await refusal(store, withdrawCommand(effectiveAt - 1_000)), /takes effect within 10 s/);
    await done(store, withdrawCommand(at));
    assert.match(await refusal(store, setCommand(store)), /are being imported or deleted/);
    await done(store, { kind: 'sweep-prices', at, id: 'swept', max: 10 }, setCommand(store));
    assert.equal(await store.value('select max(version) from price_list_version'), 3, 'no number is given out twice');
  });

  it('that replace the list keep one price of a prefix that a group changes twice before them', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const effectiveAt = at + hourMs;
    const publish = publishCommand({ at, id: 'import', effectiveAt, changes: 0 });
    await done(store, beginCommand({ at, effectiveAt, isWhole: true }));
    const change = (amount: bigint) => setCommand(store, { prices: pricesOf({ 41: amount, 42: amount }) });
    // The first change is in the group that publishes.
    await done(store, publish, change(1n), change(2n));
    await done(store, change(3n), change(4n));
    assert.equal(await store.value('select count(*) from price where unit_price is null'), 2);
    assert.equal(await store.value('select count(*) from price'), 10);
  });

  it('of an import are refused if another version took effect before them', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const effectiveAt = at + hourMs;
    await done(store, beginCommand({ at, effectiveAt }), publishCommand({ at, id: 'import', effectiveAt, changes: 0 }));
    await done(store, beginCommand({ at, id: 'late' }));
    const late = publishCommand({ at: effectiveAt + 1, id: 'late', changes: 0 });
    assert.match(await refusal(store, late), /took effect while prices were imported: start the import again/);
  });

  it('in the future are limited in number', async () => {
    await using store = await TestStore.open();
    const { now: at } = store;
    const importAt = (from: number, effectiveAt: number) => beginCommand({ at, id: `${from}`, from, effectiveAt });
    for (let version = 0; version < 8; version++) {
      const effectiveAt = at + (version + 1) * hourMs;
      await done(store, importAt(version, effectiveAt));
      await done(store, publishCommand({ at, id: `${version}`, effectiveAt, changes: 0 }));
    }
    assert.match(await refusal(store, importAt(8, at + 9 * hourMs)), /already has 8 future versions/);
  });
});

function pricesOf(amounts: { readonly [prefix: string]: bigint }) {
  return Object.entries(amounts).map(([digits, amount]) => ({ prefix: digits, unitPrice: toMicros(amount) }));
}

describe('the base of a list', () => {
  it('is a list of the same currency, in no circle, and in a chain of four at most', async () => {
    await using store = await TestStore.open();
    const names = ['a', 'b', 'c', 'd'];
    await done(store, ...names.map((name) => setCommand(store, { list: name, currency: 'EUR' })));
    await done(store, setCommand(store, { list: 'dollar', currency: 'USD' }));
    const base = (upper: string, lower: string | null) => baseCommand(store.now, upper, lower);
    assert.match(await refusal(store, base('a', 'a')), /a cannot be its own base/);
    assert.match(await refusal(store, base('a', 'dollar')), /in USD, but a is in EUR/);
    assert.match(await refusal(store, base('a', 'nobody')), /there is no price list named nobody/);
    await done(store, base('a', 'b'), base('b', 'c'));
    assert.match(await refusal(store, base('c', 'a')), /price list a already has c as its base/);
    await done(store, base('c', 'd'));
    assert.match(await refusal(store, base('d', list)), /at most 4/);
    assert.match(await refusal(store, base(list, 'a')), /at most 4/);
    await done(store, base('a', null), base(list, 'b'), base('a', 'b'));
  });

  it("is shown with it: the list's own price where both have a prefix, and the prices of prefixes between", async () => {
    await using store = await TestStore.open();
    const upper = { list: 'upper', currency: 'EUR', prices: pricesOf({ 41: 1n, 4179: 2n }) };
    await done(store, setCommand(store, upper), setCommand(store, { prices: pricesOf({ 41: 9n, 417: 8n, 4178: 7n }) }));
    await done(store, baseCommand(store.now, 'upper', list));
    const wanted = { list: 'upper', at: store.now, limit: 10, prefix: '4178' };
    const queries = store.queries;
    const page = await pageIn(queries, { ...wanted, prefix: '' });
    assert.deepEqual(
      page.items.map((each) => [each.prefix, each.price, each.list]),
      [
        ['41', 1n, 'upper'],
        ['417', 8n, list],
        ['4178', 7n, list],
        ['4179', 2n, 'upper'],
      ],
    );
    // The price of a shorter prefix, which holds for the other numbers, comes first.
    const prefixes = async (more: object) =>
      (await pageIn(queries, { ...wanted, ...more })).items.map((each) => each.prefix);
    assert.deepEqual(await prefixes({}), ['417', '4178']);
    assert.deepEqual(await prefixes({ after: `${store.now}/417` }), ['4178']);
    assert.deepEqual(await prefixes({ prefix: '4' }), ['41', '417', '4178', '4179']);
    assert.deepEqual((await pageIn(queries, { ...wanted, limit: 1 })).next, `${store.now}/417`);
  });

  it('is in use after the command that set it', async () => {
    await using store = await TestStore.open();
    await done(store, setCommand(store, { list: 'lower', currency: 'EUR' }));
    const [based, removed] = await store.apply(
      baseCommand(store.now, list, 'lower'),
      operate('price.remove', { list: 'lower' }, { at: store.now }),
    );
    assert.deepEqual([based?.ok, removed?.ok], [true, false]);
  });

  it('still explains former prices after a change', async () => {
    await using store = await TestStore.open();
    await done(store, setCommand(store, { prices: pricesOf({ 49: 5n }) }));
    await done(store, setCommand(store, { list: 'other', currency: 'EUR', prices: pricesOf({ 49: 6n }) }));
    await done(store, setCommand(store, { list: 'upper', currency: 'EUR', prices: pricesOf({ 41: 1n }) }));
    const first = store.now;
    const stands = (base: string | null) => baseCommand(store.now, 'upper', base);
    const hour = 3_600_000;
    for (const base of [list, 'other', null]) {
      store.now += hour;
      await done(store, stands(base));
    }
    // The clock is set back: the later base still applies later.
    store.now -= 10 * hour;
    await done(store, stands(list), stands(list));
    const queries = store.queries;
    const at = async (instant: number) =>
      (await pageIn(queries, { list: 'upper', at: instant, limit: 9 })).items
        .filter((each) => each.prefix === '49')
        .map((each) => [each.price, each.list]);
    assert.deepEqual(await at(first), []);
    assert.deepEqual(await at(first + hour), [[5n, list]]);
    assert.deepEqual(await at(first + 2 * hour - 1), [[5n, list]]);
    assert.deepEqual(await at(first + 2 * hour), [[6n, 'other']]);
    assert.deepEqual(await at(first + 3 * hour), [[5n, list]]);
    assert.deepEqual(
      (await versionsIn(queries, 'upper')).bases.map(({ base, since }) => [base, (since - first) / hour]),
      [
        [list, 1],
        ['other', 2],
        [list, 3],
      ],
    );
  });
});
