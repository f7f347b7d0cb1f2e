import { optional } from '@morsel/api/fields/compose.ts';
import { flag, prefixText } from '@morsel/api/fields/fields.ts';
import type { Values } from '@morsel/api/fields/field.ts';
import type { price as declared } from '@morsel/api/admin/money/price.ts';
import {
  allowFree,
  newCurrency,
  newListName,
  percent,
  pricePrefix,
  startsAt,
  unitPrice,
  versionInput,
} from '@morsel/api/admin/money/price-fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { problemType } from '@morsel/api/problems.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf } from '../bind.ts';
import { usage, type Command, type Failure, type Input, type Report, type Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { shownChange, timeText } from './price-diff.ts';
import { isOver } from '@morsel/api/admin/money/price-diff.ts';
import { versionThen, type KnownList } from '@morsel/api/admin/money/price-lists.ts';

/* The commands `price set` and `price remove`, which compare one new price with the price without the change. */

const yes = optional(
  flag({ summary: 'do not ask for confirmation; needed for a change that asks, if there is no terminal' }),
  false,
);

const setInput = {
  list: optional(newListName, 'default'),
  currency: newCurrency,
  prefix: pricePrefix,
  price: unitPrice,
  effectiveAt: startsAt,
  allowFree,
  threshold: percent('ask for confirmation if the price changes by more than this', 'Ask above'),
  yes,
};

const removeInput = {
  list: versionInput.list,
  prefix: optional(pricePrefix),
  all: optional(flag({ summary: 'remove the whole list; earlier charges stay' }), false),
  effectiveAt: startsAt,
  yes,
};

export const priceChangeCommands: readonly Command[] = [
  commandOf({
    words: 'price set',
    summary: 'Set the price of a part for a prefix; the longest matching prefix of the list counts',
    input: setInput,
    isChange: true,
    examples: {
      'price set --list default --currency EUR --prefix 41 --price 0.0075': 'a part to Switzerland costs 0.75 cents',
      'price set --prefix 4179 --price 0.008': 'a part to numbers that begin with 4179 costs more',
    },
    run: setPrice,
  }),
  commandOf({
    words: 'price remove',
    summary: 'Remove the price of a prefix in a new version of the list, or remove a whole list that is not in use',
    input: removeInput,
    isChange: true,
    examples: {
      'price remove --list default --prefix 4179': 'shows what 4179 will cost, and asks for confirmation',
      'price remove --list default --prefix 4179 --effective 2030-07-01 --yes':
        'removes the price at a later time, in a script',
      'price remove --list old --all': 'removes a list that no account, carrier or other list uses',
    },
    run: (values, shell, input) => (values.all ? removeList(values, shell, input) : removePrice(values, shell, input)),
  }),
];

type PriceRow = AnswerOf<typeof declared.operations.show>['items'][number];

/** Asks for the price of exactly this prefix, and the price of the longest shorter prefix. */
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

/** Sets a price. A price that is already in effect makes no new version. A large change needs confirmation. */
async function setPrice(wanted: Values<typeof setInput>, shell: Shell, input: Input): Promise<Result<Report, Failure>> {
  const { list, prefix, price, effectiveAt: then } = wanted;
  const shownPrice = (input.values['price'] ?? '').trim();
  // Checked before the question: otherwise the gateway would refuse the price only after the operator's yes.
  if (price === 0n && !wanted.allowFree) {
    return refused(usage(`price must not be 0 without --allow-free: ${prefixText(prefix)} would cost nothing`));
  }
  const known = await gatewayCalls(shell).price.versions({ list });
  if (!known.ok && known.error.code !== 'does_not_exist') return known;
  const held = known.ok ? await askHeld(shell, { list, prefix, ...(then !== undefined && { at: then }) }) : nothing;
  if (!held.ok) return held;
  const { exact, shorter } = held.value;
  const former = exact ?? shorter;
  const numbers = prefixText(prefix);
  if (then === undefined && exact?.list === list && exact.price === price) {
    const text = `${numbers} already costs ${shownPrice} a part in version ${exact.version} of price list ${list}: no new version is made`;
    return ok({ text, json: writeJson({ list, version: exact.version, isNew: false }) });
  }
  const difference = { prefix, before: former?.price ?? null, after: price };
  if (former && isOver(difference, wanted.threshold)) {
    const by = exact ? '' : ` (the price of ${prefixText(former.prefix)})`;
    const sentence = `${numbers} costs ${formatMicros(former.price)} ${former.currency} a part${by}, and would cost ${shownPrice} (${shownChange(difference)})`;
    const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Set the price?` });
    if (!meant.ok) return meant;
  }
  const { currency, allowFree: mayBeFree } = wanted;
  const applied = await gatewayCalls(shell).price.set({
    list,
    currency,
    allowFree: mayBeFree,
    effectiveAt: then,
    prices: [{ prefix, price }],
  });
  if (!applied.ok) return applied;
  const { version, effectiveAt: from } = applied.value;
  const when = then === undefined ? '' : ` from ${timeText(from)} on,`;
  const change = former ? `, and ${formatMicros(former.price)} before (${shownChange(difference)})` : '';
  const text = `${numbers} costs ${shownPrice} a part${when} in version ${version} of price list ${list}${change}`;
  const next = known.ok ? await nextPrice(wanted, known.value, shell) : undefined;
  const at = then === undefined ? undefined : timeText(from);
  return ok({
    text: next === undefined ? text : `${text}\n${next}`,
    json: writeJson({ list, version, effectiveAt: at, before: difference.before }),
  });
}

const nothing = ok({ exact: undefined, shorter: undefined });

/** A sentence about the first later version in which the prefix has another price. */
async function nextPrice(
  { list, prefix, price, effectiveAt: then = Date.now() }: Values<typeof setInput>,
  known: KnownList,
  shell: Shell,
): Promise<string | undefined> {
  for (const { version, effectiveAt: at } of known.versions) {
    if (at <= then) continue;
    const held = await askHeld(shell, { list, prefix, at });
    const next = held.ok ? (held.value.exact ?? held.value.shorter)?.price : price;
    if (next === price) continue;
    const shown = next === undefined ? 'no price' : `${formatMicros(next)} a part`;
    return `version ${version} takes effect at ${timeText(at)} with another price for ${prefixText(prefix)}: ${shown}`;
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
    return refused(usage('--all removes the whole list at once: leave out --prefix and --effective'));
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
  if (prefix === undefined)
    return refused(usage('give --prefix to remove one price, or --all to remove the whole list'));
  const known = await gatewayCalls(shell).price.versions({ list });
  if (!known.ok) return known;
  const from = versionThen(known.value, then ?? Date.now());
  const held = from === 0 ? nothing : await askHeld(shell, { list, version: from, prefix });
  if (!held.ok) return held;
  const own = held.value.exact;
  if (own?.list !== list) return refused(noOwnPrice(list, prefix));
  // After the removal, the base list has the price of the prefix, or a shorter prefix does.
  const base = known.value.bases.at(-1)?.base ?? null;
  const below = base === null ? nothing : await askHeld(shell, { list: base, prefix });
  if (!below.ok) return below;
  const next = below.value.exact ?? held.value.shorter;
  const thenText = next
    ? `then it costs ${formatMicros(next.price)} ${next.currency}, the price of ${prefixText(next.prefix)} in list ${next.list}`
    : 'then it has no price, and messages to its numbers are refused';
  const sentence = `${prefixText(prefix)} costs ${formatMicros(own.price)} ${own.currency} a part in price list ${list}, ${thenText}`;
  const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Remove the price?` });
  if (!meant.ok) return meant;
  const prices = [{ prefix, price: null }];
  const applied = await gatewayCalls(shell).price.set({ list, from, effectiveAt: then, prices });
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
  const detail = `price list ${list} itself has no price for prefix ${prefixText(prefix)}: see its prices with price show ${list}`;
  const problem = { type: problemType(code), title: 'The price does not exist', detail, code };
  return { kind: 'refused', detail, problem: JSON.stringify(problem) };
}
