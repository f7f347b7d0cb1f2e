import type { Command } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { inboundWaitMs } from '../../../core/message/inbound.ts';
import { findKeyword } from '../../../core/number/keyword.ts';
import {
  addKeyword,
  addNumber,
  removeKeyword,
  removeNumber,
  write,
} from '../../../../test/support/clients/inbound-messages.ts';
import { opened, stories, tell } from '../../../../test/support/store/stories/story.ts';
import { SqliteTestStore, TestStore, propertyRuns } from '../../../../test/support/store/store.ts';

const shared = '8822';
const onShared = (word: string) => ({ number: shared, word });
const others = 'account beta 100; account gamma 100';
/** A shared number with keywords of acme (taxi, tea), beta (pizza), and gamma without a keyword. */
const sharing = (fallback = 'none') => `${others}; number ${shared} ${fallback}
  keyword ${shared} taxi acme; keyword ${shared} tea acme; keyword ${shared} pizza beta`;
const withoutFallback = () => opened(sharing());
const withFallback = () => opened(sharing('gamma'));

const detailOf = (result: { ok: boolean; error?: object } | undefined) => JSON.stringify(result?.error);
/** Messages to the shared number, in their order. */
const written = (texts: string) =>
  texts
    .split(' | ')
    .map((text) => `write ${text.replaceAll(' ', '_')} to=${shared}`)
    .join('; ');

describe('a message to a shared number', () => {
  stories(
    {
      'goes to the account of its first word, in any case and with marks around it; without one it is unmatched': `
        ${written('taxi | #TAXI now | Pizza, please | I want a taxi | taxis | 🍕')}; write to=${shared}
        write taxi to=${shared} coding=octets
        whose = acme keyword taxi | acme keyword taxi | beta keyword pizza | - - | - - | - - | - - | - -`,
    },
    withoutFallback,
  );
  stories(
    {
      'is routed with its last part, by the keywords at that commit, and its keyword is in its first part': `
        part 2/2 taxi to=${shared}; keyword ${shared} coffee beta & part 1/2 Coffee_or_ to=${shared}
        whose = beta keyword coffee`,
      'whose first part never came has no keyword, whatever its first word is (O3)': `
        part 2/2 taxi to=${shared}; wait ${inboundWaitMs}ms; expire-inbound -> 1; whose = gamma fallback`,
    },
    withFallback,
  );
});

describe('keywords', () => {
  const usual = ['stop', 'start', 'baja', 'ret', '退订', 'стоп'];
  stories(
    {
      'that are not allowed are refused': `
        keyword ${shared} tram nobody -> does_not_exist; keyword 8899 tram acme -> does_not_exist
        number 8899 nobody -> does_not_exist; no-number 8899 -> does_not_exist
        keyword ${shared} taxi acme -> already_exists; keyword ${shared} taxi beta -> already_exists
        no-keyword ${shared} tram -> does_not_exist; no-number ${shared} -> in_use; number ${shared} -> already_exists
        no-keyword ${shared} taxi & no-keyword ${shared} tea & no-keyword ${shared} pizza & no-number ${shared} & number ${shared} -> ok & ok & ok & ok & ok
        rows keyword = 0`,
      'cannot be words that opt people out of their account or in again, unless the account changed these words': `
        ${usual.map((word) => `keyword ${shared} ${word} acme -> invalid_parameter`).join('; ')}
        word cancel nothing; word enough stop; keyword ${shared} enough acme -> invalid_parameter
        keyword ${shared} enough beta -> ok; keyword ${shared} cancel beta -> invalid_parameter
        keyword ${shared} cancel acme -> ok; words off gamma; keyword ${shared} quit gamma -> ok`,
      'stay keywords: such a word cannot become an opt-out word of their account': `
        word taxi stop -> invalid_parameter; word taxi start -> invalid_parameter; word taxi nothing -> ok
        word taxi_rank stop -> ok; word cancel nothing; keyword ${shared} cancel acme
        word cancel usual -> invalid_parameter; words off -> ok; word cancel usual -> ok; words on -> invalid_parameter
        word cancel nothing -> ok; words on -> ok`,
      'of another account opt nobody out, whatever these words mean to this account': `
        word taxi stop beta; ${written('#Taxi!')}; out =; ${written('STOP TAXI')}; out = acme
        word taxi_no_more stop beta; ${written('taxi no more')}; out = acme beta`,
    },
    withoutFallback,
  );

  it('have a limit for each number', async () => {
    await using store = await TestStore.open();
    await store.apply(addNumber(shared, null));
    await store.run(
      `with recursive place(at) as (select 1 union all select at + 1 from place where at < 9999)
        insert into keyword (digits, kind, word, account, created_at) select '8822', 'number', 'w' || at, 1, 0 from place`,
    );
    await store.restart();
    assert.equal((await store.one(addKeyword(onShared('last'), 'acme'))).ok, true);
    assert.match(detailOf(await store.one(addKeyword(onShared('more'), 'acme'))), /at most 10000 keywords/);
  });
});

describe('STOP to a shared number', () => {
  const all = 'acme beta gamma';
  const rows: readonly (readonly [texts: string, out: string])[] = [
    ['STOP', all],
    ['stop all', all],
    ['Стоп', all],
    ['STOP TAXI', 'acme'],
    ['taxi stop', 'acme'],
    ['Stop #pizza!', 'beta'],
    ['please stop pizza, thanks', 'beta'],
    ['STOPALL PIZZA', 'beta'],
    ['stop hello', ''],
    ['stop the taxi please', 'acme'],
    ['stop by the taxi stand', ''],
    ['taxi', ''],
    ['STOP | START', ''],
    ['STOP | START TAXI', 'beta gamma'],
    ['STOP | taxi start', 'beta gamma'],
    ['STOP TAXI | START PIZZA', 'acme'],
    ['STOP TAXI | START', ''],
  ];
  for (const [texts, out] of rows) {
    const about = `"${texts}" opts out of ${out || 'nobody'}: of all accounts on the number, or of the one it names`;
    stories({ [about]: `${written(texts)}; out = ${out}` }, withFallback);
  }

  stories(
    {
      'concerns the account that it names, and without a keyword the account of the number': `
        ${written('stop pizza | STOP')}; whose = beta keyword pizza | gamma fallback`,
      'applies to each account by its settings: its opt-out words, its scope, or not at all': `
        word cancel nothing; word enough stop beta; scope sender beta; words off gamma
        keyword ${shared} cancel acme & write cancel to=${shared}; out = beta ${shared}; ${written('START | enough')}
        out = beta ${shared}; ${written('START pizza | cancel taxi')}; out =; ${written('STOP')}; out = acme beta ${shared}`,
    },
    withFallback,
  );

  it('takes effect in its own commit, for each of these accounts, and is stored with its message', async () => {
    await using store = await withoutFallback();
    await tell(
      store,
      `write STOP to=${shared} & accept & accept account=2 & accept account=3 -> message & receiver_opted_out & receiver_opted_out & 90`,
    );
    assert.equal(await store.value('select count(distinct inbound) from opt_out_event'), 1);
  });
});

it('a message to a number, with keywords or without, causes no query for the number or its keywords', async () => {
  await using store = await SqliteTestStore.open();
  await tell(store, sharing());
  await store.apply(addNumber('8833', 'acme'));
  const asked = await store.restartCounting();
  const per = async (receiver: string, text: string) => {
    await store.apply(write(store, receiver, text));
    asked.length = 0;
    await store.apply(write(store, receiver, text));
    const statements = asked.filter((sql) => !['begin immediate', 'commit', 'select total_changes()'].includes(sql));
    return statements.map((sql) => sql.split(' ').slice(0, 4).join(' '));
  };
  const [own, ofKeyword, ofNobody] = [await per('8833', 'taxi'), await per(shared, 'taxi'), await per(shared, 'hello')];
  assert.deepEqual(own, ['insert into inbound (id,', 'update node set last_message_id']);
  assert.deepEqual([ofKeyword, ofNobody], [own, own]);
});

/* Compares the store with a small model, for any numbers, ranges and keywords, in any groups and over restarts. */

const numbers = ['+41791112233', '+41791112244', '8822'] as const;
const ranges = ['+4179', '+417911', '+41'] as const;
const words = ['taxi', 'tea', '抽', '抽奖'] as const;
const accounts = ['acme', 'beta', 'gamma'] as const;

const aNumber = fc.oneof(
  fc.record({ number: fc.constantFrom(...numbers), kind: fc.constant('number' as const) }),
  fc.record({ number: fc.constantFrom(...ranges), kind: fc.constant('prefix' as const) }),
);
const kinds = [
  ...Array<'write'>(8).fill('write'),
  ...Array<'add-keyword'>(5).fill('add-keyword'),
  ...Array<'add-number'>(3).fill('add-number'),
  ...(['set-number', 'set-number', 'remove-number', 'remove-keyword', 'remove-keyword', 'restart'] as const),
];
/** A step uses the fields of its kind. */
const step = fc.record({
  do: fc.constantFrom(...kinds),
  on: aNumber,
  word: fc.constantFrom(...words),
  account: fc.constantFrom(...accounts),
  owner: fc.option(fc.constantFrom(...accounts)),
  to: fc.constantFrom(...numbers, '+41795550000', '41791112233', '+4915112345678'),
  text: fc.constantFrom('TAXI', '#tea, please', 'hello', '抽奖我', '抽', 'stop taxi', ''),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Numbers and keywords as plain lists, searched from the longest to the shortest. */
class Model {
  readonly #numbers = new Map<string, string | null>();
  readonly #keywords = new Map<string, string>();
  readonly whose: string[] = [];

  /** Applies a step. Returns whether it succeeds. */
  take(each: Step): boolean {
    const key = `${each.on.kind} ${each.on.number}`;
    const isThere = this.#numbers.has(key);
    switch (each.do) {
      case 'restart':
        return true;
      case 'write':
        this.whose.push(this.#whose(each.to, each.text));
        return true;
      case 'add-number':
        if (!isThere) this.#numbers.set(key, each.owner);
        return !isThere;
      case 'set-number':
        if (isThere) this.#numbers.set(key, each.owner);
        return isThere;
      case 'remove-number':
        return (
          ![...this.#keywords.keys()].some((keyword) => keyword.startsWith(`${key} `)) && this.#numbers.delete(key)
        );
      case 'add-keyword': {
        const keyword = `${key} ${each.word}`;
        if (!isThere || this.#keywords.has(keyword)) return false;
        this.#keywords.set(keyword, each.account);
        return true;
      }
      case 'remove-keyword':
        return this.#keywords.delete(`${key} ${each.word}`);
    }
  }

  #whose(to: string, text: string): string {
    const plain = `+${to.replace('+', '')}`;
    const exact = [...this.#numbers.keys()].find((key) => key === `number ${to}` || key === `number ${plain}`);
    const prefixes = to.startsWith('+') ? ranges.filter((range) => to.startsWith(range)) : [];
    const longest = prefixes
      .toSorted((one, other) => other.length - one.length)
      .map((range) => `prefix ${range}`)
      .find((key) => this.#numbers.has(key));
    const key = exact ?? longest;
    if (key === undefined) return 'nobody';
    const first = text === 'stop taxi' ? 'taxi' : findKeyword(text, (word) => this.#keywords.has(`${key} ${word}`));
    return this.#keywords.get(`${key} ${first}`) ?? this.#numbers.get(key) ?? 'nobody';
  }
}

function commandOf(store: TestStore, { on, word, account, owner, to, text, ...each }: Step): Command | undefined {
  switch (each.do) {
    case 'restart':
      return undefined;
    case 'write':
      return write(store, to, text);
    case 'add-number':
      return addNumber(on.number, owner, on.kind);
    case 'set-number':
      return { ...addNumber(on.number, owner, on.kind), operation: 'number.set' };
    case 'remove-number':
      return removeNumber(on.number, on.kind);
    case 'add-keyword':
      return addKeyword({ ...on, word }, account);
    case 'remove-keyword':
      return removeKeyword({ ...on, word });
  }
}

it('the account of a message is as in a model, with any order of commands, any groups and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), fc.integer({ min: 1, max: 6 }), async (steps, size) => {
      await using store = await TestStore.open();
      for (const name of ['beta', 'gamma']) await store.addAccount(name, 0);
      const model = new Model();
      let group: { readonly command: Command; readonly succeeds: boolean }[] = [];
      const flush = async () => {
        assert.deepEqual(
          (await store.apply(...group.map(({ command }) => command))).map(({ ok }) => ok),
          group.map(({ succeeds }) => succeeds),
        );
        group = [];
      };
      for (const each of steps) {
        const command = commandOf(store, each);
        if (command) group.push({ command, succeeds: model.take(each) });
        if (!command || group.length >= size) await flush();
        if (!command) await store.restart();
      }
      await flush();
      const sql =
        "select coalesce((select name from account where id = account), 'nobody') as name from inbound order by id";
      assert.deepEqual(
        (await store.rows(sql)).map(({ name }) => name),
        model.whose,
      );
      assert.deepEqual(store.faults, []);
    }),
    { numRuns: propertyRuns(60) },
  );
});
