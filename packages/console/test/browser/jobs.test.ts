import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { done } from '../../../gateway/test/support/done.ts';
import { writeManyDoubts } from '../../../gateway/test/support/gateway/many-messages.ts';
import { waitUntil } from '../../../gateway/test/support/wait-until.ts';
import { openPlace, signInWith, type Place } from './browser.ts';

/* R6: bulk work runs in the gateway, with a preview in numbers, a reason, and one entry in the audit log. */

const parts = 1_207;

let place: Place;
let context: BrowserContext;
let page: Page;

before(async () => {
  place = await openPlace({}, (folder) => writeManyDoubts(join(folder, 'morsel.db'), parts));
  context = await place.open();
  page = await signInWith(context, await place.gateway.consoleUrl(), 'jane');
});
after(() => place[Symbol.asyncDispose]());

it('parts in doubt are settled after the tab is closed, with one entry in the audit log', async () => {
  const { calls, base } = place;
  await page.goto(`${base}/decide?tab=doubt`);
  await page.getByRole('button', { name: 'Settle many' }).click();
  const dialog = page.getByRole('dialog');
  const decision = dialog.getByLabel('Decision', { exact: true });
  assert.equal(await decision.inputValue(), '', 'no choice is preselected');
  await decision.selectOption('unknown');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByText('The filter matches 1,207 parts. Nothing is changed yet.').waitFor();
  const confirm = dialog.getByRole('button', { name: 'Settle many: 1,207 parts' });
  await confirm.click();
  const reason = dialog.getByLabel('Reason');
  await reason.and(page.locator('[aria-invalid="true"]')).waitFor();
  assert.deepEqual(done(await calls.job.list({})).items, []);
  await reason.fill('the carrier lost them');
  await confirm.click();
  await dialog.getByText('Job 1 works on 1,207 parts. It goes on if you close this page.').waitFor();
  await page.close();
  const ended = await waitUntil('the job is done', async () => {
    const job = done(await calls.job.show({ job: 1 }));
    return job.state === 'done' && job;
  });
  assert.deepEqual(ended.outcomes, [{ outcome: 'settled', rows: parts }]);
  assert.deepEqual(done(await calls.message.inDoubt({})).items, []);
  const audit = done(await calls.audit.list({ operation: 'message.settleMany' })).items;
  assert.equal(audit.length, 1);
  assert.deepEqual([audit[0]?.operator, audit[0]?.reason], ['jane', 'the carrier lost them']);
  assert.match(audit[0]?.changes ?? '', /"rows":1207\b/);
});

it('the list of jobs shows progress, outcomes and reason', async () => {
  page = await context.newPage();
  await page.goto(`${place.base}/records?tab=jobs`);
  const row = page.getByRole('row').filter({ hasText: 'message.settleMany' });
  for (const text of ['1207 of 1207', '1207 settled', 'the carrier lost them', 'jane'])
    await row.getByText(text).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0, 'an ended job cannot be stopped');
  assert.deepEqual(place.complaints, []);
});
