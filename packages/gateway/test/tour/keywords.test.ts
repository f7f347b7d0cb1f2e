import assert from 'node:assert/strict';
import { it } from 'node:test';
import { morsel } from '../support/gateway/morsel.ts';
import { Tour } from '../support/gateway/tour.ts';
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
