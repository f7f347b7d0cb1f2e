import { formatMicros, parseMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import { isOver } from '@morsel/gateway/core/money/price-diff.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { instant, prefix as prefixField } from '@morsel/gateway/operator/fields.ts';
import { readUnitPrice } from '@morsel/gateway/operator/money/prices.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Failure, Input, Report, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { everyNumber } from './price-file/cells.ts';
import { askFitting } from './price-import-fit.ts';
import { readPercent, thresholdDefault } from './price-import.ts';
import { applyChanges, versionThen } from './price-lists.ts';
import type { Applied, KnownList } from './price-lists.ts';
import { shownChange } from './price-preview.ts';
import { prefixOf } from '../routing/route.ts';
import { toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

interface Wanted {
  readonly list: string;
  readonly currency: string | undefined;
  readonly prefix: string;
  readonly price: Micros;
  /** As it was given, without blanks around it. */
  readonly shownPrice: string;
  /** As it was given; without it, the price is to hold at once. */
  readonly effective: string | undefined;
  /** The instant that it names, or now. */
  readonly at: Instant;
  readonly threshold: Micros;
  readonly mayBeFree: boolean;
}

/** Sets one price, at once or from a time on. A price that holds already makes no version; a large change is asked about. */
export async function setPrice(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const read = readWanted(input);
  if (!read.ok) return read;
  const wanted = read.value;
  const { list, currency, effective, at, prefix, price, shownPrice } = wanted;
  const known = await askFitting(shell, { list, currency, base: undefined, effective, at });
  if (!known.ok) return known;
  const held = known.value ? await askHeld(shell, wanted) : ok(undefined);
  if (!held.ok) return held;
  if (effective === undefined && isSame(held.value, wanted)) {
    const version = word(held.value ?? {}, 'version');
    const text = `${prefixOf({ prefix })} costs ${shownPrice} a part already, in version ${version} of price list ${list}: no version is made`;
    return ok({ text, json: JSON.stringify({ list, version: Number(version), isNew: false }) });
  }
  const difference = { prefix, formerPrice: priceOf(held.value), newPrice: price };
  if (isOver(difference, wanted.threshold)) {
    const by = held.value && word(held.value, 'prefix') !== prefix ? `, by ${prefixOf(held.value)}` : '';
    const sentence = `${prefixOf({ prefix })} costs ${word(held.value ?? {}, 'price')} ${known.value?.currency ?? ''} a part${by}, and would cost ${shownPrice} (${shownChange(difference)})`;
    const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Set the price?` });
    if (!meant.ok) return meant;
  }
  const applied = effective === undefined ? await setNow(wanted, shell) : await setLater(wanted, known.value, shell);
  if (!applied.ok) return applied;
  const { version, effectiveAt } = applied.value;
  const when = effectiveAt === undefined ? '' : ` from ${effectiveAt} on,`;
  const former = difference.formerPrice;
  const change = former === undefined ? '' : `, and ${formatMicros(former)} before (${shownChange(difference)})`;
  const text = `${prefixOf({ prefix })} costs ${shownPrice} a part${when} in version ${version} of price list ${list}${change}`;
  const until = await nextPrice(shell, wanted, known.value);
  return ok({
    text: until === undefined ? text : `${text}\n${until}`,
    json: writeJson({ list, version: Number(version), effectiveAt, before: former ?? null }),
  });
}

function readWanted({ values, flags }: Input): Result<Wanted, Failure> {
  const { list = 'default', currency, effective, threshold = thresholdDefault } = values;
  const at = effective === undefined ? ok(Date.now()) : instant.parse(effective);
  if (!at.ok) return refused(usage(`effective: ${at.error}`));
  const prefix = prefixField.parse(values['prefix'] === everyNumber ? '' : (values['prefix'] ?? ''));
  if (!prefix.ok) return refused(usage(`prefix: ${prefix.error}`));
  const shownPrice = (values['price'] ?? '').trim();
  const price = readUnitPrice(shownPrice);
  if (!price.ok) return refused(usage(`price: ${price.error}`));
  const percent = readPercent('threshold', threshold);
  if (!percent.ok) return percent;
  return ok({
    list,
    currency,
    prefix: prefix.value,
    price: price.value,
    shownPrice,
    effective,
    at: at.value,
    threshold: percent.value,
    mayBeFree: flags.has('allowFree'),
  });
}

/** What numbers of the prefix cost without the change, with the prefix, the list and its version that say so. */
async function askHeld(
  shell: Shell,
  { list, prefix, effective }: Pick<Wanted, 'list' | 'prefix' | 'effective'>,
): Promise<Result<Row | undefined, Failure>> {
  const page = await call(shell, 'prices', { list, prefix, limit: '1', ...(effective && { at: effective }) });
  if (!page.ok) return page;
  const row = toRow(page.value.value);
  const [first] = toRows(row['prices']);
  const held = first && word(first, 'prefix') === prefix ? first : toRow(row['otherwise']);
  return ok(word(held, 'price') === '' ? undefined : held);
}

function priceOf(held: Row | undefined): Micros | undefined {
  const price = parseMicros(word(held ?? {}, 'price'));
  return price.ok ? price.value : undefined;
}

function isSame(held: Row | undefined, { list, prefix, price }: Wanted): boolean {
  if (!held || word(held, 'prefix') !== prefix || word(held, 'list') !== list) return false;
  return word(held, 'price') === formatMicros(price);
}

type Made = Pick<Applied, 'version'> & Partial<Applied>;

async function setNow(wanted: Wanted, shell: Shell): Promise<Result<Made, Failure>> {
  const { list, currency, prefix, shownPrice: price, mayBeFree } = wanted;
  const reply = await call(shell, 'setPrices', {
    list,
    ...(currency !== undefined && { currency }),
    ...(mayBeFree && { allowFree: 'true' }),
    prices: [{ prefix, price }],
  });
  return reply.ok ? ok({ version: word(toRow(reply.value.value), 'version') }) : reply;
}

function setLater(wanted: Wanted, known: KnownList | undefined, shell: Shell): Promise<Result<Made, Failure>> {
  const { list, currency, effective, at, prefix, price, mayBeFree } = wanted;
  const from = known ? versionThen(known, at) : 0;
  const changes = [{ prefix, price }];
  return applyChanges(shell, { list, currency, base: undefined, from, effective, mayBeFree, changes });
}

/** The first version to come that says another price, as a sentence. */
async function nextPrice(
  shell: Shell,
  { list, prefix, price, at }: Wanted,
  known: KnownList | undefined,
): Promise<string | undefined> {
  for (const { version, effectiveAt } of known?.versions ?? []) {
    if (effectiveAt <= at) continue;
    const then = new Date(effectiveAt).toISOString();
    const held = await askHeld(shell, { list, prefix, effective: then });
    const next = held.ok ? priceOf(held.value) : price;
    if (next === price) continue;
    const shown = next === undefined ? 'no price' : `${formatMicros(next)} a part`;
    return `version ${version}, which takes effect at ${then}, has ${shown} for it`;
  }
  return undefined;
}
