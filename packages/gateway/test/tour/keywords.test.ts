import assert from 'node:assert/strict';
import { it } from 'node:test';
import { morsel } from '../support/morsel.ts';
import { alterStore } from '../support/store-file.ts';
import { Tour } from '../support/tour.ts';
import { waitUntil } from '../support/wait-until.ts';

/* Keywords and replays of inbound messages, from the operator's commands to the carrier's sockets. */

const phone = '+41791230001';
const shared = '8822';

async function command(tour: Tour, ...words: string[]): Promise<string> {
  const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
  assert.deepEqual([status, errors], [0, ''], words.join(' '));
  return out;
}

async function refusal(tour: Tour, ...words: string[]): Promise<string> {
  const { status, out, errors } = await morsel(words, { dataDir: tour.dataDir });
  assert.deepEqual([status === 0, out], [false, ''], words.join(' '));
  return errors;
}

function write(tour: Tour, text: string, to = shared): Promise<void> {
  return tour.simulator.sendInbound({ from: phone, to, text });
}

/** Ids and accounts of messages, the oldest first, once there are this many. */
async function listed(tour: Tour, count: number): Promise<readonly (readonly [id: string, account: string | null])[]> {
  return waitUntil(`${count} messages`, async () => {
    const { items }: { items: { msgId: string; account: string | null }[] } = JSON.parse(
      await command(tour, 'inbound', 'list', '--json'),
    );
    return items.length >= count ? items.toReversed().map(({ msgId, account }) => [msgId, account]) : undefined;
  });
}

/** An unreachable webhook: its notifications wait. */
function addWebhook(tour: Tour): Promise<number> {
  return alterStore(
    tour.dataDir,
    `insert into webhook (id, account, url, method, kinds, concurrency, allowed, status, created_at)
    values (1, 1, 'http://127.0.0.1:1/', 'post', '["inbound"]', 1, '[]', 'paused', 0)`,
  );
}

/** As if every try of waiting notifications had failed for good. */
async function giveUp(tour: Tour): Promise<void> {
  await alterStore(
    tour.dataDir,
    `insert into notification_try select id, 1, 0, 'webhook 1', '500' from notification where state = 'waiting'`,
  );
  await alterStore(
    tour.dataDir,
    `update notification set state = 'dead', due = null, tries = 1, tried_by = 'webhook 1', outcome = '500',
    ended_at = 0 where state = 'waiting'`,
  );
}

it('one number serves several accounts by the first word, and STOP counts for each, or for the one that it names', async () => {
  await using tour = await Tour.open();
  await command(tour, 'account', 'add', 'beta', '--currency', 'EUR');
  assert.match(
    await command(tour, 'number', 'add', shared, '--shared'),
    /^messages to 8822 go to accounts by keyword; /,
  );
  assert.equal(
    await command(tour, 'keyword', 'add', shared, '#TAXI', '--account', 'acme'),
    'messages to 8822 with the keyword "taxi" are for acme\n',
  );
  await command(tour, 'keyword', 'add', shared, 'Pizza', '--account', 'beta');
  assert.match(
    await refusal(tour, 'keyword', 'add', shared, 'STOP', '--account', 'beta'),
    /people write stop to get no/,
  );
  assert.match(await refusal(tour, 'keyword', 'add', shared, 'two words', '--account', 'beta'), /word must be one/);
  assert.match(
    await refusal(tour, 'number', 'add', '8833'),
    /account must name the account of the number, unless the number is shared/,
  );
  assert.match(
    await command(tour, 'number', 'list'),
    /^NUMBER +KIND +ACCOUNT +KEYWORDS +CREATED\n8822 +number +\(shared\) +2 /,
  );
  for (const text of ['Taxi! To the station', 'PIZZA', 'Hello?']) await write(tour, text);
  const [taxi, pizza, hello] = await threeOf(tour, ['acme', 'beta', null]);
  assert.match(await command(tour, 'inbound', 'show', taxi), /account +acme\nmatched by +keyword\nkeyword +taxi\n/);
  assert.match(
    await command(tour, 'inbound', 'show', pizza),
    /account +beta\n[^]*\nnotifications:\nnone: .* add a webhook or login/,
  );
  assert.doesNotMatch(await command(tour, 'inbound', 'show', hello), /^account/m);
  assert.match(
    await command(tour, 'inbound', 'list', '--keyword', 'pizza'),
    / beta +no destination +\+41791230001 +8822 +pizza /,
  );
  await write(tour, 'STOP taxi');
  assert.equal((await tour.send({ receiver: phone })).status, 422);
  assert.match(await command(tour, 'optout', 'list'), /^ACCOUNT.*\nacme [^\n]*\n$/);
  await write(tour, 'STOP');
  assert.match(await command(tour, 'optout', 'list'), /\nacme .*\nbeta /);
  await write(tour, 'START');
  await tour.event(await tour.accept({ receiver: phone }), 'delivered');
  assert.equal(await command(tour, 'keyword', 'remove', shared, 'taxi'), 'the keyword "taxi" of 8822 is removed\n');
  assert.match(await command(tour, 'keyword', 'list', '--number', shared), /^NUMBER.*\n8822 +pizza +beta [^\n]*\n$/);
});

async function threeOf(tour: Tour, accounts: readonly (string | null)[]): Promise<readonly [string, string, string]> {
  const found = await listed(tour, 3);
  assert.deepEqual(
    found.map(([, account]) => account),
    accounts,
  );
  const [one = '', two = '', three = ''] = found.map(([id]) => id);
  return [one, two, three];
}

it('unmatched or undelivered messages are delivered under their own ids by a replay, over restarts', async () => {
  await using tour = await Tour.open();
  await tour.restart(() => addWebhook(tour));
  await tour.bound();
  for (const text of ['one', 'two', 'three']) await write(tour, text, '41791112233');
  const [one] = await threeOf(tour, [null, null, null]);
  assert.equal(
    await command(tour, 'inbound', 'replay', '--unmatched'),
    '0 of 3 messages delivered again; 3 are unmatched, because no account has their number or keyword\n',
  );
  await command(tour, 'number', 'add', '+41791112233', '--account', 'acme');
  assert.equal(
    await command(tour, 'inbound', 'replay', one),
    '1 of 1 message delivered again; 1 goes to an account that did not have it before\n',
  );
  assert.match(
    await command(tour, 'inbound', 'replay', '--unmatched'),
    /^2 of 2 messages delivered again; 2 go to an account that did not/,
  );
  assert.equal(
    await command(tour, 'inbound', 'replay', '--account', 'acme', '--all'),
    '0 of 3 messages delivered again; 3 already wait for delivery\n',
  );
  assert.equal(
    await command(tour, 'inbound', 'replay', one, '--reroute'),
    '0 of 1 message delivered again; 1 already waits for delivery\n',
  );
  await tour.restart(() => giveUp(tour));
  await tour.bound();
  assert.match(
    await command(tour, 'inbound', 'list', '--account', 'acme', '--undelivered'),
    /(\n\d+ +\S+ +acme +dead [^\n]*){3}\n$/,
  );
  const answer: unknown = JSON.parse(await command(tour, 'inbound', 'replay', '--undelivered', '--json'));
  assert.deepEqual(answer, { replayed: 3, waiting: 0, withoutDestination: 0, unmatched: 0, rerouted: 0 });
  const shown = await command(tour, 'inbound', 'show', one);
  assert.match(shown, /account +acme\nmatched by +number\ndelivery +waiting\n/);
  assert.match(
    shown,
    /\n\d+ +\S+ +acme +waiting +1 +false +1 .* try 1, at 1970-01-01T00:00:00Z, by webhook 1, outcome 500\n$/,
  );
  assert.match(await refusal(tour, 'inbound', 'replay'), /give message ids, or a filter/);
  assert.match(await refusal(tour, 'inbound', 'replay', '--account', 'acme'), /add --undelivered, or add --all/);
  assert.match(await refusal(tour, 'inbound', 'replay', one, '--unmatched'), /give message ids or a filter/);
  assert.match(await refusal(tour, 'inbound', 'replay', one, '42'), /no inbound message with the id 42/);
  assert.match(await refusal(tour, 'inbound', 'replay', one, 'abc'), /no inbound message with the id abc/);
});

it('a replay goes on until all are done, and reports its progress', async () => {
  await using tour = await Tour.open();
  const count = 270;
  for (let at = 0; at < count; at += 30) {
    await Promise.all(Array.from({ length: 30 }, (_, of) => write(tour, `message ${at + of}`, '41791112233')));
  }
  await command(tour, 'number', 'add', '+41791112233', '--account', 'acme');
  const told = await morsel(['inbound', 'replay', '--unmatched'], { dataDir: tour.dataDir });
  assert.equal(
    told.out,
    `0 of ${count} messages delivered again; ${count} belong to accounts without a webhook or login for inbound messages; ${count} go to an account that did not have them before\n`,
  );
  assert.equal(await command(tour, 'inbound', 'list', '--unmatched'), 'there are no matching inbound messages\n');
});
