import { optional } from '@morsel/api/admin/compose.ts';
import { flag, prefixText } from '@morsel/api/admin/fields.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import {
  allowFree,
  newCurrency,
  newListName,
  pricePrefix,
  unitPrice,
  versionInput,
} from '@morsel/api/admin/money/price.ts';
import type { price as declared } from '@morsel/api/admin/money/price.ts';
import { effectiveAt } from '@morsel/api/admin/money/price-import.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { problemType } from '@morsel/api/problems.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { isOver, percent, shownChange } from './price-diff.ts';
import { applyChanges, askFitting, baseOf, timeText, versionThen } from './price-lists.ts';
import type { KnownList } from './price-lists.ts';

/* `price set` and `price remove`: one price changes, after a look at what its numbers cost without the change. */

const yes = optional(
  flag({ summary: 'do not ask; without a terminal a change that asks is refused without it' }),
  false,
);

const setInput = {
  list: optional(newListName, 'default'),
  currency: newCurrency,
  prefix: pricePrefix,
  price: unitPrice,
  effectiveAt,
  allowFree,
  threshold: percent('ask before the price of these numbers changes by more'),
  yes,
};

const removeInput = {
  list: versionInput.list,
  prefix: optional(pricePrefix),
  all: optional(flag({ summary: 'remove the list itself; what was charged by it stays' }), false),
  effectiveAt,
  yes,
};

export const priceChangeCommands: readonly Command[] = [
  commandOf({
    words: 'price set',
    summary: 'Set the price of a part for a prefix; the longest prefix of the list wins',
    input: setInput,
    examples: [
      ['price set --list default --currency EUR --prefix 41 --price 0.0075', 'Switzerland for 0.75 cents a part'],
      ['price set --prefix 4179 --price 0.008', 'one of its networks for more'],
    ],
    run: setPrice,
  }),
  commandOf({
    words: 'price remove',
    summary: 'Remove the price of a prefix from a price list, as a new version; or a whole list that nothing uses',
    input: removeInput,
    examples: [
      ['price remove --list default --prefix 4179', 'what 4179 costs after it; it asks first'],
      ['price remove --list default --prefix 4179 --effective 2030-07-01 --yes', 'for a script'],
      ['price remove --list old --all', 'a list that no account, carrier or list uses'],
    ],
    run: (values, shell, input) => (values.all ? removeList(values, shell, input) : removePrice(values, shell, input)),
  }),
];

type PriceRow = AnswerOf<typeof declared.operations.show>['items'][number];

/** The price of a prefix itself, and of the longest shorter prefix. */
async function askHeld(
  shell: Shell,
  wanted: { readonly list: string; readonly prefix: string; readonly at?: Instant; readonly version?: number },
): Promise<Result<{ readonly exact: PriceRow | undefined; readonly shorter: PriceRow | undefined }, Failure>> {
  const page = await gatewayCalls(shell).price.show({ ...wanted, limit: 2 });
  if (!page.ok) return page;
  const { items } = page.value;
  const exact = items.find((each) => each.prefix === wanted.prefix);
  return ok({ exact, shorter: items.find((each) => each !== exact && wanted.prefix.startsWith(each.prefix)) });
}

/** A price that is in effect already makes no version; a large change asks. */
async function setPrice(wanted: Values<typeof setInput>, shell: Shell, input: Input): Promise<Result<Report, Failure>> {
  const { list, prefix, price, effectiveAt: then } = wanted;
  const shownPrice = (input.values['price'] ?? '').trim();
  // Nobody is asked about a price that would be refused after a yes.
  if (price === 0n && !wanted.allowFree) {
    return refused(usage(`price must not be 0 without --allow-free: ${prefixText(prefix)} would cost nothing`));
  }
  const known = await askFitting(shell, wanted);
  if (!known.ok) return known;
  const held = known.value ? await askHeld(shell, { list, prefix, ...(then !== undefined && { at: then }) }) : nothing;
  if (!held.ok) return held;
  const { exact, shorter } = held.value;
  const former = exact ?? shorter;
  const numbers = prefixText(prefix);
  if (then === undefined && exact?.list === list && exact.price === price) {
    const text = `${numbers} costs ${shownPrice} a part already, in version ${exact.version} of price list ${list}: no version is made`;
    return ok({ text, json: writeJson({ list, version: exact.version, isNew: false }) });
  }
  const difference = { prefix, before: former?.price ?? null, after: price };
  if (former && isOver(difference, wanted.threshold)) {
    const by = exact ? '' : `, by ${prefixText(former.prefix)}`;
    const sentence = `${numbers} costs ${formatMicros(former.price)} ${former.currency} a part${by}, and would cost ${shownPrice} (${shownChange(difference)})`;
    const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Set the price?` });
    if (!meant.ok) return meant;
  }
  const applied = await setNowOrThen(wanted, known.value, shell);
  if (!applied.ok) return applied;
  const { version, effectiveAt: from } = applied.value;
  const when = from === undefined ? '' : ` from ${timeText(from)} on,`;
  const change = former ? `, and ${formatMicros(former.price)} before (${shownChange(difference)})` : '';
  const text = `${numbers} costs ${shownPrice} a part${when} in version ${version} of price list ${list}${change}`;
  const next = await nextPrice(wanted, known.value, shell);
  const at = from === undefined ? undefined : timeText(from);
  return ok({
    text: next === undefined ? text : `${text}\n${next}`,
    json: writeJson({ list, version, effectiveAt: at, before: difference.before }),
  });
}

const nothing = ok({ exact: undefined, shorter: undefined });

function setNowOrThen(
  { list, currency, allowFree: mayBeFree, prefix, price, effectiveAt: then }: Values<typeof setInput>,
  known: KnownList | undefined,
  shell: Shell,
): Promise<Result<{ readonly version: number; readonly effectiveAt?: Instant }, Failure>> {
  const terms = { list, currency, allowFree: mayBeFree };
  if (then === undefined) return gatewayCalls(shell).price.set({ ...terms, prices: [{ prefix, price }] });
  const from = known ? versionThen(known, then) : 0;
  return applyChanges(shell, { ...terms, from, effectiveAt: then, changes: [{ prefix, unitPrice: price }] });
}

/** The first later version with another price, as a sentence. */
async function nextPrice(
  { list, prefix, price, effectiveAt: then = Date.now() }: Values<typeof setInput>,
  known: KnownList | undefined,
  shell: Shell,
): Promise<string | undefined> {
  for (const { version, effectiveAt: at } of known?.versions ?? []) {
    if (at <= then) continue;
    const held = await askHeld(shell, { list, prefix, at });
    const next = held.ok ? (held.value.exact ?? held.value.shorter)?.price : price;
    if (next === price) continue;
    const shown = next === undefined ? 'no price' : `${formatMicros(next)} a part`;
    return `version ${version}, which takes effect at ${timeText(at)}, has ${shown} for it`;
  }
  return undefined;
}

type Removal = Values<typeof removeInput>;

async function removeList(
  { list, prefix, effectiveAt: then }: Removal,
  shell: Shell,
  input: Input,
): Promise<Result<Report, Failure>> {
  if (prefix !== undefined || then !== undefined) {
    return refused(usage('--all removes a list at once, with all its prices: give no --prefix and no --effective'));
  }
  const calls = gatewayCalls(shell).price;
  const known = await calls.versions({ list });
  if (!known.ok) return known;
  const sentence = `price list ${list} would be removed, if nothing uses it`;
  const meant = await confirmed(input, shell, { sentence, question: `Remove price list ${list}?` });
  if (!meant.ok) return meant;
  const removed = await calls.remove({ list });
  if (!removed.ok) return removed;
  return ok({ text: `price list ${list} is removed`, json: writeJson({ list, applied: true }) });
}

async function removePrice(
  { list, prefix, effectiveAt: then }: Removal,
  shell: Shell,
  input: Input,
): Promise<Result<Report, Failure>> {
  if (prefix === undefined) return refused(usage('name a prefix with --prefix, or the whole list with --all'));
  const known = await gatewayCalls(shell).price.versions({ list });
  if (!known.ok) return known;
  const from = versionThen(known.value, then ?? Date.now());
  const held = from === 0 ? nothing : await askHeld(shell, { list, version: from, prefix });
  if (!held.ok) return held;
  const own = held.value.exact;
  if (own?.list !== list) return refused(noOwnPrice(list, prefix));
  // Then its base has the price of the prefix, or a shorter prefix has.
  const base = baseOf(known.value);
  const below = base === null ? nothing : await askHeld(shell, { list: base, prefix });
  if (!below.ok) return below;
  const next = below.value.exact ?? held.value.shorter;
  const thenText = next
    ? `then ${formatMicros(next.price)} ${next.currency}, by ${prefixText(next.prefix)} of list ${next.list}`
    : 'then nothing: messages to its numbers are refused';
  const sentence = `${prefixText(prefix)} costs ${formatMicros(own.price)} ${own.currency} a part in price list ${list}, ${thenText}`;
  const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Remove the price?` });
  if (!meant.ok) return meant;
  const changes = [{ prefix, unitPrice: null }];
  const applied = await applyChanges(shell, { list, from, effectiveAt: then, changes });
  if (!applied.ok) return applied;
  const { version, effectiveAt: at } = applied.value;
  const made = { version, effectiveAt: timeText(at) };
  return ok({
    text: `${sentence}\nversion ${version} takes effect at ${made.effectiveAt}`,
    json: writeJson({ list, prefix, before: own.price, after: next?.price ?? null, applied: made }),
  });
}

function noOwnPrice(list: string, prefix: string): Failure {
  const code = 'does_not_exist';
  const detail = `price list ${list} has no price of its own for prefix ${prefixText(prefix)}: price show ${list} lists its prices`;
  const problem = { type: problemType(code), title: 'There is no such price', detail, code };
  return { kind: 'refused', detail, problem: JSON.stringify(problem) };
}
