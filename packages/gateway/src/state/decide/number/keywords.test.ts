import type { Command } from '../../commands.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { findKeyword } from '../../../core/number/keyword.ts';
import {
  addKeyword,
  addNumber,
  phone,
  removeKeyword,
  removeNumber,
  write,
} from '../../../../test/support/clients/inbound-messages.ts';
import { setHandling, setWord } from '../../../../test/support/gateway/opt-outs.ts';
import { SqliteTestStore, TestStore, propertyRuns } from '../../../../test/support/store/store.ts';

const shared = '8822';
const onShared = (word: string) => ({ number: shared, word });

/** A shared number with keywords of acme (taxi, tea), beta (pizza), and gamma without a keyword. */
async function sharing(fallback: string | null = null): Promise<TestStore> {
  const store = await TestStore.open();
  await share(store, fallback);
  return store;
}

async function share(store: TestStore, fallback: string | null = null): Promise<void> {
  for (const name of ['beta', 'gamma']) await store.addAccount(name, 100);
  const words = [['taxi', 'acme'] as const, ['tea', 'acme'] as const, ['pizza', 'beta'] as const];
  const added = await store.apply(
    addNumber(shared, fallback),
    ...words.map(([word, account]) => addKeyword(onShared(word), account)),
  );
  assert.ok(added.every((result) => result.ok));
}

/** The account of each message, and how it was found, such as `taxi: acme by keyword`. */
async function routes(store: TestStore): Promise<unknown[]> {
  const rows =
    await store.rows(`select inbound.id, coalesce(account.name, 'nobody') as name, matched_by, keyword from inbound
        left join account on account.id = inbound.account order by inbound.id`);
  return Promise.all(
    rows.map(async (row) => [await store.inboundText(row['id']), row['name'], row['matched_by'], row['keyword']]),
  );
}

const codeOf = (result: { ok: boolean; error?: { code: string } } | undefined) => result?.error?.code;
const detailOf = (result: { ok: boolean; error?: object } | undefined) => JSON.stringify(result?.error);

describe('a message to a shared number', () => {
  it('goes to the account of its first word, in any case and with marks around it; without one it is unmatched', async () => {
    await using store = await sharing();
    const texts = ['taxi', '#TAXI now', 'Pizza, please', 'I want a taxi', 'taxis', '', '🍕'];
    await store.apply(...texts.map((text) => write(store, shared, text)));
    await store.apply(write(store, shared, 'taxi', { coding: 'binary', code: 4 }));
    assert.deepEqual(await routes(store), [
      ['taxi', 'acme', 'keyword', 'taxi'],
      ['#TAXI now', 'acme', 'keyword', 'taxi'],
      ['Pizza, please', 'beta', 'keyword', 'pizza'],
      ['I want a taxi', 'nobody', null, null],
      ['taxis', 'nobody', null, null],
      ['', 'nobody', null, null],
      ['🍕', 'nobody', null, null],
      [null, 'nobody', null, null],
    ]);
  });

  it('is routed with its last part, by the keywords at that commit, and its keyword is in its first part', async () => {
    await using store = await sharing('gamma');
    const part = (number: number, text: string) =>
      write(store, shared, text, { concatenation: { kind: '8-bit', reference: 1, total: 2, number } });
    await store.apply(part(2, 'taxi'));
    await store.apply(addKeyword(onShared('coffee'), 'beta'), part(1, 'Coffee or '));
    assert.deepEqual(await routes(store), [['Coffee or taxi', 'beta', 'keyword', 'coffee']]);
  });

  it('whose first part never came has no keyword, whatever its first word is (O3)', async () => {
    await using store = await sharing('gamma');
    await store.apply(
      write(store, shared, 'taxi', { concatenation: { kind: '8-bit', reference: 1, total: 2, number: 2 } }),
    );
    await store.one({ kind: 'expire-inbound', at: store.now, before: store.now, ids: [write(store, shared, '').id] });
    assert.deepEqual(await routes(store), [['taxi', 'gamma', 'fallback', null]]);
  });
});

describe('keywords', () => {
  it('that are not allowed are refused with a hint what to do', async () => {
    await using store = await sharing();
    const rows: readonly (readonly [Command, string, RegExp])[] = [
      [addKeyword(onShared('tram'), 'nobody'), 'does_not_exist', /no account named nobody/],
      [addKeyword({ number: '8899', word: 'tram' }, 'acme'), 'does_not_exist', /no number 8899: .* number add before/],
      [addKeyword({ ...onShared('tram'), kind: 'prefix' }, 'acme'), 'does_not_exist', /no prefix \+8822/],
      [
        addKeyword(onShared('taxi'), 'acme'),
        'already_exists',
        /already has the keyword taxi: remove the keyword first/,
      ],
      [addKeyword(onShared('taxi'), 'beta'), 'already_exists', /already has the keyword taxi/],
      [removeKeyword(onShared('tram')), 'does_not_exist', /the number 8822 has no keyword tram/],
      [removeNumber(shared), 'in_use', /still has 3 keywords: remove them first/],
      [
        addNumber(shared, 'acme'),
        'already_exists',
        /the number 8822 is already shared: use number set to give it to another account/,
      ],
    ];
    for (const [command, code, detail] of rows) {
      const [result] = await store.apply(command);
      assert.equal(codeOf(result), code, detailOf(result));
      assert.match(detailOf(result), detail);
    }
    const words = ['taxi', 'tea', 'pizza'].map((word) => removeKeyword(onShared(word)));
    assert.ok((await store.apply(...words, removeNumber(shared), addNumber(shared, 'acme'))).every(({ ok }) => ok));
    assert.deepEqual([await store.value('select count(*) from keyword'), store.faults], [0, []]);
  });

  it('cannot be words that opt people out of their account or in again, unless the account changed these words', async () => {
    await using store = await sharing();
    const add = (word: string, account = 'acme') => store.one(addKeyword(onShared(word), account));
    for (const word of ['stop', 'start', 'baja', 'ret', '退订', 'стоп']) {
      assert.match(detailOf(await add(word)), /"field":"word".*people write .*with optout word/, word);
    }
    await store.one(setWord('cancel', 'nothing'));
    await store.one(setWord('enough', 'stop'));
    assert.equal((await add('enough')).ok, false);
    assert.equal((await add('enough', 'beta')).ok, true);
    assert.equal((await add('cancel', 'beta')).ok, false);
    assert.equal((await add('cancel')).ok, true);
    await store.one(setHandling({ words: 'off' }, 'gamma'));
    assert.equal((await add('quit', 'gamma')).ok, true);
  });

  it('stay keywords: such a word cannot become an opt-out word of their account', async () => {
    await using store = await sharing();
    const means = (word: string, meaning: 'stop' | 'start' | 'nothing' | 'usual') => store.one(setWord(word, meaning));
    assert.match(
      detailOf(await means('taxi', 'stop')),
      /"field":"word".*taxi is a keyword of this account on 8822.* opt out:/,
    );
    assert.match(detailOf(await means('taxi', 'start')), /would opt in again: remove the keyword first/);
    assert.equal((await means('taxi', 'nothing')).ok, true);
    assert.equal((await means('taxi rank', 'stop')).ok, true, 'a phrase is another thing');
    assert.equal((await means('cancel', 'nothing')).ok, true);
    assert.equal((await store.one(addKeyword(onShared('cancel'), 'acme'))).ok, true);
    assert.match(detailOf(await means('cancel', 'usual')), /cancel is a keyword of this account/);
    const heed = (isOn: boolean) => store.one(setHandling({ words: isOn ? 'on' : 'off' }));
    assert.deepEqual([(await heed(false)).ok, (await means('cancel', 'usual')).ok], [true, true]);
    assert.match(detailOf(await heed(true)), /"field":"words".*cancel is a keyword of this account on 8822/);
    assert.deepEqual([(await means('cancel', 'nothing')).ok, (await heed(true)).ok], [true, true]);
  });

  it('of another account opt nobody out, whatever these words mean to this account', async () => {
    await using store = await sharing();
    assert.equal((await store.one(setWord('taxi', 'stop', 'beta'))).ok, true);
    await store.apply(write(store, shared, '#Taxi!'));
    assert.deepEqual(await out(store), []);
    await store.apply(write(store, shared, 'STOP TAXI'));
    assert.deepEqual(await out(store), ['acme']);
    await store.one(setWord('taxi no more', 'stop', 'beta'));
    await store.apply(write(store, shared, 'taxi no more'));
    assert.deepEqual(await out(store), ['acme', 'beta']);
  });

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

/** The accounts that the phone has opted out of. */
const out = async (store: TestStore) =>
  (
    await store.rows(
      'select name, sender from opt_out join account on account.id = opt_out.account order by account.id',
    )
  ).map((row) => `${String(row['name'])} ${String(row['sender'])}`.trim());

describe('STOP to a shared number', () => {
  const all = ['acme', 'beta', 'gamma'];
  const rows: readonly (readonly [texts: string, out: readonly string[]])[] = [
    ['STOP', all],
    ['stop all', all],
    ['Стоп', all],
    ['STOP TAXI', ['acme']],
    ['taxi stop', ['acme']],
    ['Stop #pizza!', ['beta']],
    ['please stop pizza, thanks', ['beta']],
    ['STOPALL PIZZA', ['beta']],
    ['stop hello', []],
    ['stop the taxi please', ['acme']],
    ['stop by the taxi stand', []],
    ['taxi', []],
    ['STOP | START', []],
    ['STOP | START TAXI', ['beta', 'gamma']],
    ['STOP | taxi start', ['beta', 'gamma']],
    ['STOP TAXI | START PIZZA', ['acme']],
    ['STOP TAXI | START', []],
  ];
  for (const [texts, wanted] of rows) {
    it(`"${texts}" opts out of ${wanted.join(', ') || 'nobody'}: of all accounts on the number, or of the one it names`, async () => {
      await using store = await sharing('gamma');
      for (const text of texts.split(' | ')) await store.apply(write(store, shared, text));
      assert.deepEqual(await out(store), wanted);
      assert.deepEqual(store.faults, []);
    });
  }

  it('takes effect in its own commit, for each of these accounts, and is stored with its message', async () => {
    await using store = await sharing();
    const accept = (account: number) => store.accept({ account, receiver: phone });
    const results = await store.apply(write(store, shared, 'STOP'), accept(1), accept(2), accept(3));
    assert.deepEqual(
      results.map((result) => codeOf(result) ?? 'ok'),
      ['ok', 'receiver_opted_out', 'receiver_opted_out', 'ok'],
    );
    assert.equal(await store.value('select count(distinct inbound) from opt_out_event'), 1);
  });

  it('concerns the account that it names, and without a keyword the account of the number', async () => {
    await using store = await sharing('gamma');
    for (const text of ['stop pizza', 'STOP']) await store.apply(write(store, shared, text));
    assert.deepEqual(await routes(store), [
      ['stop pizza', 'beta', 'keyword', 'pizza'],
      ['STOP', 'gamma', 'fallback', null],
    ]);
  });

  it('applies to each account by its settings: its opt-out words, its scope, or not at all', async () => {
    await using store = await sharing('gamma');
    await store.one(setWord('cancel', 'nothing'));
    await store.one(setWord('enough', 'stop', 'beta'));
    await store.one(setHandling({ scope: 'sender' }, 'beta'));
    await store.one(setHandling({ words: 'off' }, 'gamma'));
    await store.apply(addKeyword(onShared('cancel'), 'acme'), write(store, shared, 'cancel'));
    assert.deepEqual(await out(store), [`beta ${shared}`], 'a keyword of one account hides no STOP of another');
    await store.apply(write(store, shared, 'START'), write(store, shared, 'enough'));
    assert.deepEqual(await out(store), [`beta ${shared}`]);
    await store.apply(write(store, shared, 'START pizza'), write(store, shared, 'cancel taxi'));
    assert.deepEqual(await out(store), []);
    await store.apply(write(store, shared, 'STOP'));
    assert.deepEqual(await out(store), ['acme', `beta ${shared}`]);
  });
});

it('a message to a number, with keywords or without, causes no query for the number or its keywords', async () => {
  await using store = await SqliteTestStore.open();
  await share(store);
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
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add-number' as const),
      on: aNumber,
      account: fc.option(fc.constantFrom(...accounts)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set-number' as const),
      on: aNumber,
      account: fc.option(fc.constantFrom(...accounts)),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-number' as const), on: aNumber }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('add-keyword' as const),
      on: aNumber,
      word: fc.constantFrom(...words),
      account: fc.constantFrom(...accounts),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('remove-keyword' as const), on: aNumber, word: fc.constantFrom(...words) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      to: fc.constantFrom(...numbers, '+41795550000', '41791112233', '+4915112345678'),
      text: fc.constantFrom('TAXI', '#tea, please', 'hello', '抽奖我', '抽', 'stop taxi', ''),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Numbers and keywords as plain lists, searched from the longest to the shortest. */
class Model {
  readonly #numbers = new Map<string, string | null>();
  readonly #keywords = new Map<string, string>();
  readonly whose: string[] = [];

  /** Applies a step. Returns whether it succeeds. */
  take(each: Exclude<Step, { do: 'restart' }>): boolean {
    if (each.do === 'write') {
      this.whose.push(this.#whose(each.to, each.text));
      return true;
    }
    const key = `${each.on.kind} ${each.on.number}`;
    const isThere = this.#numbers.has(key);
    switch (each.do) {
      case 'add-number':
        if (!isThere) this.#numbers.set(key, each.account);
        return !isThere;
      case 'set-number':
        if (isThere) this.#numbers.set(key, each.account);
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

function commandOf(store: TestStore, each: Exclude<Step, { do: 'restart' }>): Command {
  switch (each.do) {
    case 'write':
      return write(store, each.to, each.text);
    case 'add-number':
      return addNumber(each.on.number, each.account, each.on.kind);
    case 'set-number':
      return { ...addNumber(each.on.number, each.account, each.on.kind), operation: 'number.set' };
    case 'remove-number':
      return removeNumber(each.on.number, each.on.kind);
    case 'add-keyword':
      return addKeyword({ ...each.on, word: each.word }, each.account);
    case 'remove-keyword':
      return removeKeyword({ ...each.on, word: each.word });
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
        if (each.do !== 'restart') group.push({ command: commandOf(store, each), succeeds: model.take(each) });
        if (each.do === 'restart' || group.length >= size) await flush();
        if (each.do === 'restart') await store.restart();
      }
      await flush();
      assert.deepEqual(
        (await routes(store)).map((row) => Array.isArray(row) && row[1]),
        model.whose,
      );
      assert.deepEqual(store.faults, []);
    }),
    { numRuns: propertyRuns(60) },
  );
});
