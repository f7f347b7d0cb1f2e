import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { furnish, openPlace, signInWith, type Place } from './browser.ts';

/* A change of a route is tried with the last hour's messages, applied and undone. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open(), await place.gateway.consoleUrl(), 'jane');
  await furnish(place);
  const { calls, simulator } = place;
  const carrier = { name: 'beta', host: '127.0.0.1', port: simulator.port, systemId: 'us', password: 'secret' };
  done(await calls.carrier.add(carrier));
  const isBound = async (name: string) =>
    done(await calls.carrier.show({ carrier: name })).linkStates[0]?.state === 'bound';
  for (const name of ['alpha', 'beta']) await waitUntil(`${name} is bound`, () => isBound(name));
  for (let sent = 0; sent < 3; sent++)
    done(
      await calls.message.send({ account: 'acme', sender: 'Morsel', receiver: `+4179111223${sent}`, text: 'hello' }),
    );
});
after(() => place[Symbol.asyncDispose]());

async function carriers(): Promise<readonly string[]> {
  return done(await place.calls.route.list({})).items.map(({ carrier }) => carrier);
}

const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

it('a change of a route shows its effect on the last hour before it is made, and can be undone', async () => {
  await page.goto(`${place.base}/routes`);
  await press('Try a change');
  await page.getByLabel('New carrier').fill('beta');
  await press('See the effect');
  await page.getByRole('heading', { name: /^Change set route-41-\d+$/ }).waitFor();
  for (const step of ['add route 41 beta', 'remove route 41 alpha']) await page.getByText(step).waitFor();
  await press('Replay the last hour');
  await page.getByText('3 of 3 messages would go another way').waitFor();
  const row = (name: string) => page.getByRole('row').filter({ hasText: name }).first();
  assert.match((await row('alpha').innerText()).replaceAll(/\s+/g, ' '), /alpha 3 0 3 0/);
  assert.match((await row('beta').innerText()).replaceAll(/\s+/g, ' '), /beta 0 3 0 3/);
  assert.equal(await page.getByText('+4179111223').count(), 3);
  assert.deepEqual(await carriers(), ['alpha']);
  await press('Apply 2 changes');
  await page.getByText('applied by jane').waitFor();
  assert.deepEqual(await carriers(), ['beta']);
  await press('Undo');
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: /^Change set undo-route-41-\d+$/ }).waitFor();
  await press('Apply 2 changes');
  await page.getByText('applied by jane').waitFor();
  assert.deepEqual(await carriers(), ['alpha']);
  const applied = done(await place.calls.audit.list({ operation: 'changeSet.apply' })).items.map(({ entry }) => entry);
  await page.goto(`${place.base}/records/audit/${applied[1]}`);
  await press('Undo');
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('have changed since it was applied').waitFor();
  await page.goto(`${place.base}/routes?tab=changeSets`);
  await page.getByRole('row').filter({ hasText: 'undo-route-41' }).getByText('applied').first().waitFor();
  assert.deepEqual(place.complaints, []);
});
