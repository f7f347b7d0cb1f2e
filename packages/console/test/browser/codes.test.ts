import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import decode from 'jsqr';
import type { Page } from 'playwright-core';
import { codeAt, octetsOf } from '@morsel/gateway/core/account/one-time-code.ts';
import { accessibilityFaults, act, closed, openPlace, password, signInWith, type Place } from './browser.ts';

/* One-time codes of an authenticator app. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  page = await signInWith(await place.open({ bypassCSP: true }), await place.gateway.consoleUrl(), 'jane');
});
after(() => place[Symbol.asyncDispose]());

/** Pixels of a module of the picture. */
const scale = 4;

/** The text of the QR code on the page, read from its pixels. */
async function textOfPicture(): Promise<string | undefined> {
  const picture = page.getByRole('img', { name: 'QR code of the secret', exact: true });
  const box = ((await picture.getAttribute('viewBox')) ?? '').split(' ').map(Number);
  const path = (await picture.locator('path').getAttribute('d')) ?? '';
  const [left = 0, top = 0, modules = 0] = box;
  const side = modules * scale;
  const pixels = await page.evaluate<number[]>(`(() => {
    const context = Object.assign(document.createElement('canvas'), { width: ${side}, height: ${side} }).getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, ${side}, ${side});
    context.scale(${scale}, ${scale});
    context.translate(${-left}, ${-top});
    context.fillStyle = '#000';
    context.fill(new Path2D('${path}'));
    return [...context.getImageData(0, 0, ${side}, ${side}).data];
  })()`);
  return decode.default(Uint8ClampedArray.from(pixels), side, side)?.data;
}

it('the QR code has the secret whose codes turn codes on, and the list says so', async () => {
  await page.goto(`${place.base}/settings`);
  await page.getByRole('button', { name: 'Turn codes on', exact: true }).click();
  const link = page.getByRole('link', { name: 'Open it in an authenticator app', exact: true });
  const address = (await link.getAttribute('href')) ?? '';
  await page.getByText(new URL(address).searchParams.get('secret') ?? 'no secret', { exact: true }).waitFor();
  assert.equal(await textOfPicture(), address);
  assert.deepEqual(await accessibilityFaults(page), []);
  const secret = octetsOf(new URL(address).searchParams.get('secret') ?? '');
  assert.ok(secret);
  const code = codeAt(secret, Math.floor(Date.now() / 30_000));
  await act(page, 'Turn codes on', { 'Present password': password, Code: code });
  await closed(page);
  await page.goto(`${place.base}/settings?tab=operators`);
  await page.getByRole('row').filter({ hasText: 'jane' }).getByText('codes on', { exact: true }).waitFor();
  assert.deepEqual(place.complaints, []);
});
