import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { openPlace, signInWith, type Place } from './browser.ts';

/* The labels of a chart's axes are whole, short and distinct. */

let place: Place;
let page: Page;

before(async () => {
  place = await openPlace();
  const owner = await place.open();
  await owner.addInitScript(keepTexts);
  page = await signInWith(owner, await place.gateway.consoleUrl(), 'jane');
  addTraffic(join(place.folder, 'morsel.db'));
});
after(() => place[Symbol.asyncDispose]());

const [days, dayHours, hourMs] = [40, 24, 3_600_000];
const most = 1_250_000;

/** Writes the traffic of 40 days by the hour. */
function addTraffic(file: string): void {
  using database = new DatabaseSync(file);
  database.exec('pragma busy_timeout = 10000');
  const insert = database.prepare(
    `insert into traffic_slot (span, slot, currency, messages, parts, refused, sent, bounced, delivered, failed, inbound, charged)
      values (3600, ?, '', ?, 0, 0, 0, 0, 0, 0, 0, 0)`,
  );
  const now = Math.floor(Date.now() / hourMs);
  for (let hour = 1; hour <= days * dayHours; hour += 1) insert.run(now - hour, hour % dayHours === 0 ? most : 100_000);
}

/** Keeps the texts that canvases draw, with their left and right ends and the width of their canvas. */
const keepTexts = `
  window.drawn = new Map();
  const draw = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
    const width = this.measureText(text).width;
    const left = { right: x - width, center: x - width / 2 }[this.textAlign] ?? x;
    const place = this.getTransform().transformPoint({ x: left, y });
    const its = drawn.get(this.canvas) ?? [];
    drawn.set(this.canvas, its);
    its.push({ text, left: place.x, right: place.x + width, y: place.y, align: this.textAlign });
    draw.apply(this, arguments);
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function () {
    drawn.set(this.canvas, []);
    clear.apply(this, arguments);
  };`;

interface Label {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Labels of the x axis are centred; those of the y axis end at the axis. */
  readonly align: 'center' | 'right';
}

interface Drawn {
  readonly labels: readonly Label[];
  readonly width: number;
}

/** The labels that the chart of the history has drawn, and the width of its canvas. */
async function labelsOf(path: string): Promise<Drawn> {
  await page.goto(`${place.base}${path}`);
  await page
    .getByRole('img', { name: /^History/ })
    .locator('canvas')
    .waitFor();
  const found = await page.waitForFunction(
    `(() => {
      const canvas = document.querySelector('[aria-label^=History] canvas');
      const labels = drawn.get(canvas) ?? [];
      return labels.length > 0 && { labels, width: canvas.width };
    })()`,
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the function in the page returns it
  return (await found.jsonValue()) as Drawn;
}

for (const width of [1_280, 390]) {
  it(`the labels of both axes are whole and distinct at ${width} px`, async () => {
    await page.setViewportSize({ width, height: 800 });
    for (const range of ['30d', '7d']) {
      const { labels, width: room } = await labelsOf(`/?range=${range}`);
      for (const align of ['center', 'right'] as const) {
        const texts = labels.filter((each) => each.align === align).map(({ text }) => text);
        assert.ok(texts.length > 1, `${range}: ${texts.join()}`);
        assert.equal(new Set(texts).size, texts.length, `${range}: ${texts.join()}`);
        const wanted = align === 'center' ? /^\d{1,2} [A-Z][a-z]{2,3}$/ : /^(0|\d+(\.\d+)? [kM])$/;
        for (const text of texts) assert.match(text, wanted, range);
      }
      const cut = labels.filter(({ left, right }) => left < 0 || right > room);
      assert.deepEqual(cut, [], range);
      assert.ok(
        labels.some(({ text }) => text === '1.25 M'),
        labels.map(({ text }) => text).join(),
      );
    }
  });
}
