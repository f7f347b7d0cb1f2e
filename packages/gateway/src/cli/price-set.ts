import { formatMicros, parseMicros } from '../core/money.ts';
import type { Micros } from '../core/money.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { writeJson } from '../edge/admin/exact-json.ts';
import { instant, prefix as prefixField } from '../flow/operator-fields.ts';
import { call, reportOf } from './admin-client.ts';
import { usage } from './command.ts';
import type { Failure, Input, Report, Shell } from './command.ts';
import { everyNumber } from './price-file/cells.ts';
import { askFitting } from './price-import-fit.ts';
import { applyChanges, askList } from './price-lists.ts';
import { prefixOf } from './route.ts';
import { toRow, toRows, word } from './table.ts';

interface Wanted {
  readonly list: string;
  readonly currency: string | undefined;
  readonly prefix: string;
  /** As it was given, without blanks around it. */
  readonly price: string;
  readonly mayBeFree: boolean;
}

/** Sets one price: at once, or from a time on; a price that holds already makes no version. */
export async function setPrice({ values, flags }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const { list = 'default', currency, effective } = values;
  const wanted: Wanted = {
    list,
    currency,
    prefix: values['prefix'] === everyNumber ? '' : (values['prefix'] ?? ''),
    price: (values['price'] ?? '').trim(),
    mayBeFree: flags.has('allowFree'),
  };
  if (effective !== undefined) return setLater(wanted, effective, shell);
  const same = await versionThatSays(wanted, shell);
  if (same !== undefined) {
    const text = `${prefixOf({ prefix: wanted.prefix })} costs ${wanted.price} a part already, in version ${same} of price list ${list}: no version is made`;
    return ok({ text, json: JSON.stringify({ list, version: Number(same), isNew: false }) });
  }
  const { prefix, price } = wanted;
  const reply = await call(shell, 'setPrices', {
    list,
    ...(currency !== undefined && { currency }),
    ...(wanted.mayBeFree && { allowFree: 'true' }),
    prices: [{ prefix, price }],
  });
  if (!reply.ok) return reply;
  return ok(
    reportOf(reply.value, (value) => {
      const version = word(toRow(value), 'version');
      return `${prefixOf({ prefix })} costs ${price} a part in version ${version} of price list ${list}`;
    }),
  );
}

/** The version that holds, if it is the newest and has this price; whatever cannot be asked is left to the change itself. */
async function versionThatSays(wanted: Wanted, shell: Shell): Promise<string | undefined> {
  const price = parseMicros(wanted.price);
  const known = await askList(shell, wanted.list);
  if (!price.ok || !known.ok || !known.value || known.value.pendingAt !== null) return undefined;
  if (known.value.newest === 0 || (wanted.currency ?? known.value.currency) !== known.value.currency) return undefined;
  const prefix = prefixField.parse(wanted.prefix);
  if (!prefix.ok) return undefined;
  const page = await call(shell, 'prices', { list: wanted.list, prefix: prefix.value, limit: '1' });
  if (!page.ok) return undefined;
  const row = toRow(page.value.value);
  const [first] = toRows(row['prices']);
  const isSame =
    first !== undefined &&
    word(first, 'prefix') === prefix.value &&
    word(first, 'list') === wanted.list &&
    word(first, 'price') === formatMicros(price.value);
  return isSame ? word(row, 'version') : undefined;
}

async function setLater(wanted: Wanted, effective: string, shell: Shell): Promise<Result<Report, Failure>> {
  const { list, currency, mayBeFree } = wanted;
  const at = instant.parse(effective);
  if (!at.ok) return refused(usage(`effective: ${at.error}`));
  const prefix = prefixField.parse(wanted.prefix);
  if (!prefix.ok) return refused(usage(`prefix: ${prefix.error}`));
  const price = parseMicros(wanted.price);
  if (!price.ok) return refused(usage(`price: ${price.error}`));
  const known = await askFitting(shell, { list, currency, base: undefined, effective, at: at.value });
  if (!known.ok) return known;
  const from = known.value?.newest ?? 0;
  const changes: readonly { readonly prefix: string; readonly price: Micros }[] = [
    { prefix: prefix.value, price: price.value },
  ];
  const applied = await applyChanges(shell, { list, currency, base: undefined, from, effective, mayBeFree, changes });
  if (!applied.ok) return applied;
  const { version, effectiveAt } = applied.value;
  const text = `${prefixOf({ prefix: prefix.value })} costs ${wanted.price} a part from ${effectiveAt} on, in version ${version} of price list ${list}`;
  return ok({ text, json: writeJson({ list, version: Number(version), effectiveAt }) });
}
