import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { instant, prefix as prefixField } from '@morsel/gateway/operator/fields.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Report, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { everyNumber } from './price-file/cells.ts';
import { askFitting } from './price-import-fit.ts';
import { applyChanges, noSuchPrice, versionThen } from './price-lists.ts';
import type { KnownList } from './price-lists.ts';
import { prefixOf } from '../routing/route.ts';
import { toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';

/** Takes one price out of a list, as a new version of it; or removes a list. */
export const priceRemove: Command = {
  words: 'price remove',
  summary: 'Remove the price of a prefix from a price list, as a new version; or a whole list that nothing uses',
  options: [
    { flags: '--list <name>', summary: 'which price list', isRequired: true },
    { flags: '--prefix <digits>', summary: 'prefix whose price is removed; "" or * for every number' },
    { flags: '--all', summary: 'the list itself; what was charged by it stays as it is' },
    { flags: '--effective <time>', summary: 'from when on; a day is its beginning in UTC (default: at once)' },
    { flags: '--yes', summary: 'do not ask; without a terminal the command is refused without it' },
  ],
  examples: [
    ['price remove --list default --prefix 4179', 'what 4179 costs after it; it asks first'],
    ['price remove --list default --prefix 4179 --effective 2030-07-01 --yes', 'for a script'],
    ['price remove --list old --all', 'a list that no account, carrier or list uses'],
  ],
  run: (input, shell) => (input.flags.has('all') ? removeList(input, shell) : removePrice(input, shell)),
};

async function removeList(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { list = '', prefix, effective } = input.values;
  if (prefix !== undefined || effective !== undefined) {
    return refused(usage('--all removes a list at once, with all its prices: give no --prefix and no --effective'));
  }
  const known = await askFitting(shell, { list, currency: undefined, base: undefined, effective, at: Date.now() });
  if (!known.ok) return known;
  if (!known.value) return refused(noSuchPrice(`there is no price list named ${list}`));
  const sentence = `price list ${list} would be removed, if nothing uses it`;
  const meant = await confirmed(input, shell, { sentence, question: `Remove price list ${list}?` });
  if (!meant.ok) return meant;
  const reply = await call(shell, 'removePriceList', { list });
  if (!reply.ok) return reply;
  return ok({ text: `price list ${list} is removed`, json: writeJson({ list, applied: true }) });
}

async function removePrice(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { list = '', prefix: given, effective } = input.values;
  if (given === undefined) return refused(usage('name a prefix with --prefix, or the whole list with --all'));
  const prefix = prefixField.parse(given === everyNumber ? '' : given);
  if (!prefix.ok) return refused(usage(`prefix: ${prefix.error}`));
  const at = effective === undefined ? ok(Date.now()) : instant.parse(effective);
  if (!at.ok) return refused(usage(`effective: ${at.error}`));
  const known = await askFitting(shell, { list, currency: undefined, base: undefined, effective, at: at.value });
  if (!known.ok) return known;
  if (!known.value) return refused(noSuchPrice(`there is no price list named ${list}`));
  const from = versionThen(known.value, at.value);
  const place = { ...known.value, from, prefix: prefix.value };
  const before = await ownPrice(shell, place);
  if (!before.ok) return before;
  const after = await priceWithout(shell, place);
  if (!after.ok) return after;
  const { currency } = known.value;
  const shown = prefixOf({ prefix: prefix.value });
  const then = after.value
    ? `then ${word(after.value, 'price')} ${currency}, by ${prefixOf(after.value)} of list ${word(after.value, 'list')}`
    : 'then nothing: messages to its numbers are refused';
  const sentence = `${shown} costs ${before.value} ${currency} a part in price list ${list}, ${then}`;
  const json = {
    list,
    prefix: prefix.value,
    before: before.value,
    after: after.value ? word(after.value, 'price') : null,
  };
  const meant = await confirmed(input, shell, { sentence, question: `${sentence}. Remove the price?` });
  if (!meant.ok) return meant;
  const changes = [{ prefix: prefix.value, price: undefined }];
  const made = { list, currency: undefined, base: undefined, from, effective, mayBeFree: false, changes };
  const applied = await applyChanges(shell, made);
  if (!applied.ok) return applied;
  const { version, effectiveAt } = applied.value;
  const text = `${sentence}\nversion ${version} takes effect at ${effectiveAt}`;
  return ok({ text, json: writeJson({ ...json, applied: { version: Number(version), effectiveAt } }) });
}

/** A prefix of a list, in the version that is to be changed; 0 if none holds. */
interface Place extends KnownList {
  readonly from: number;
  readonly prefix: string;
}

/** The price that the version of a list itself has for a prefix. */
async function ownPrice(shell: Shell, { name, from, prefix }: Place): Promise<Result<string, Failure>> {
  const page = from === 0 ? ok(toRow({})) : await askPage(shell, { list: name, version: String(from), prefix });
  if (!page.ok) return page;
  const [first] = toRows(page.value['prices']);
  const isOwn = first !== undefined && word(first, 'prefix') === prefix && word(first, 'list') === name;
  if (isOwn) return ok(word(first, 'price'));
  const detail = `price list ${name} has no price of its own for prefix ${prefixOf({ prefix })}: price show ${name} lists what it has`;
  return refused(noSuchPrice(detail));
}

/** What holds for the numbers of a prefix without that price: that of a list below, or of a shorter prefix. */
async function priceWithout(
  shell: Shell,
  { name, base, from, prefix }: Place,
): Promise<Result<Row | undefined, Failure>> {
  const below = base === null ? ok(toRow({})) : await askPage(shell, { list: base, prefix });
  if (!below.ok) return below;
  const [first] = toRows(below.value['prices']);
  if (first && word(first, 'prefix') === prefix) return ok(first);
  const page = await askPage(shell, { list: name, version: String(from), prefix });
  if (!page.ok) return page;
  const otherwise = toRow(page.value['otherwise']);
  return ok(word(otherwise, 'price') === '' ? undefined : otherwise);
}

async function askPage(shell: Shell, fields: { readonly [field: string]: string }): Promise<Result<Row, Failure>> {
  const reply = await call(shell, 'prices', { ...fields, limit: '1' });
  return reply.ok ? ok(toRow(reply.value.value)) : reply;
}
