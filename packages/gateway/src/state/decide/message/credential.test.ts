import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loginWithoutPassword, operate } from '../../../../test/support/store/operate.ts';
import { TestStore } from '../../../../test/support/store/store.ts';
import type { Command } from '../../commands.ts';

/* A node reads tokens and logins from its memory. What it accepted is checked again in the commit of the message. */

const hash = new Uint8Array(32);
const unauthorized = { code: 'unauthorized' };
const removed = { code: 'forbidden', detail: 'the login acme1 was removed' };

/** The commands that end a credential, and the refusal of a message that came with it. */
const ends: { readonly [about: string]: (store: TestStore) => { by: Command; http?: object; smpp?: object } } = {
  'a token that is revoked': ({ now: at }) => ({
    by: operate('token.revoke', { id: 'aaaaaaaaaaaa' }, { at }),
    http: unauthorized,
  }),
  'a token that is replaced': ({ now: at }) => ({
    by: operate('token.rotate', { id: 'aaaaaaaaaaaa', after: 0 }, { at, made: { id: 'bbbbbbbbbbbb', hash, text: '' } }),
    http: unauthorized,
  }),
  'a token that another replaces later': ({ now: at }) => ({
    by: operate(
      'token.rotate',
      { id: 'aaaaaaaaaaaa', after: 1_000 },
      { at, made: { id: 'bbbbbbbbbbbb', hash, text: '' } },
    ),
  }),
  'a login that is removed': ({ now: at }) => ({
    by: operate('login.remove', { systemId: 'acme1' }, { at }),
    smpp: removed,
  }),
};

async function withCredentials(): Promise<TestStore> {
  const store = await TestStore.open({ isCompared: true });
  const { now: at } = store;
  const token = { account: 'acme', scopes: ['send'], expiresAt: at + 10 } as const;
  await store.one(operate('token.add', token, { at, made: { id: 'aaaaaaaaaaaa', hash, text: '' } }));
  await store.one(operate('login.add', { account: 'acme', systemId: 'acme1' }, { at, made: loginWithoutPassword }));
  return store;
}

const http = (store: TestStore) => store.accept({ source: 'http', submitter: 'aaaaaaaaaaaa' });
const smpp = (store: TestStore) => store.accept({ source: 'smpp', submitter: 'acme1' });

async function refusals(store: TestStore, ...before: Command[]): Promise<unknown[]> {
  const results = await store.apply(...before, http(store), smpp(store));
  return results.slice(before.length).map((result) => (result.ok ? undefined : result.error));
}

describe('a message of a client', () => {
  for (const [about, of] of Object.entries(ends)) {
    it(`with ${about}, in the same commit and later`, async () => {
      await using store = await withCredentials();
      assert.deepEqual(await refusals(store), [undefined, undefined]);
      const end = of(store);
      const expected = [end.http, end.smpp];
      assert.deepEqual(await refusals(store, end.by), expected);
      assert.deepEqual(await refusals(store), expected);
      assert.deepEqual(await store.moneyFaults(), []);
    });
  }

  it('with a token that is expired, with a token or a login of nobody, or of another account', async () => {
    await using store = await withCredentials();
    await store.addAccount('other', 100);
    store.now += 9;
    assert.deepEqual(await refusals(store), [undefined, undefined]);
    for (const unknown of [
      { submitter: 'two', source: 'http' },
      { submitter: 'aaaaaaaaaaaa', source: 'http', account: 2 },
    ] as const) {
      assert.deepEqual(await store.one(store.accept(unknown)), { ok: false, error: unauthorized });
    }
    const ofOther = await store.one(store.accept({ submitter: 'acme1', source: 'smpp', account: 2 }));
    assert.deepEqual(ofOther, { ok: false, error: removed });
    store.now += 1;
    assert.deepEqual(await refusals(store), [unauthorized, undefined]);
  });
});
