import { problemType } from '@morsel/api/problems.ts';
import { parseMicros, formatMicros } from '@morsel/api/values/money.ts';
import type { Micros } from '@morsel/api/values/money.ts';
import type { Prices } from '@morsel/gateway/core/money/price-diff.ts';
import { ok } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { callMax } from '@morsel/gateway/operator/money/prices.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { call } from '../admin-client.ts';
import type { Failure, Shell } from '../command.ts';
import { toRow, toRows, word } from '../table.ts';

/* Whole price lists, from the gateway and to it. */

/** A list as it stands; one that is not there yet has version 0. */
export interface KnownList {
  readonly name: string;
  readonly currency: string;
  /** The list that it stands on. */
  readonly base: string | null;
  /** The version that holds and those that are still to come, in the order in which they take effect. */
  readonly versions: readonly { readonly version: number; readonly effectiveAt: Instant }[];
}

/** The version that holds at an instant, or will; 0 if none does. */
export function versionThen({ versions }: KnownList, at: Instant): number {
  return versions.findLast((each) => each.effectiveAt <= at)?.version ?? 0;
}

/** As the gateway says it of what it looks for itself. */
export function noSuchPrice(detail: string): Failure {
  const code = 'does_not_exist';
  const problem = { type: problemType(code), title: 'There is no such price list or price', detail, code };
  return { kind: 'refused', detail, problem: JSON.stringify(problem) };
}

/** The list of a name; undefined if there is none. */
export async function askList(shell: Shell, name: string): Promise<Result<KnownList | undefined, Failure>> {
  const reply = await call(shell, 'priceLists', {});
  if (!reply.ok) return reply;
  const row = toRows(reply.value.value).find((each) => word(each, 'list') === name);
  if (!row) return ok(undefined);
  const versions = [row, ...toRows(row['pending'])]
    .filter((each) => word(each, 'version') !== '')
    .map((each) => ({ version: Number(word(each, 'version')), effectiveAt: Date.parse(word(each, 'effectiveAt')) }));
  return ok({ name, currency: word(row, 'currency'), base: word(row, 'base') || null, versions });
}

export interface ListVersion {
  readonly list: string;
  readonly currency: string;
  /** Null if none holds yet. */
  readonly version: string | null;
  readonly effectiveAt: string | null;
  /** Without those of its base. */
  readonly prices: Prices;
}

/** All own prices of a list in one version: by its number, or the one that holds at a time, or now. */
export async function askPrices(
  shell: Shell,
  list: string,
  wanted: { readonly version?: string | undefined; readonly at?: string | undefined },
): Promise<Result<ListVersion, Failure>> {
  const prices = new Map<string, Micros>();
  // All pages are of the version that the first was of.
  let fields: { [field: string]: string } = { list };
  if (wanted.version !== undefined) fields['version'] = wanted.version;
  if (wanted.at !== undefined) fields['at'] = wanted.at;
  for (;;) {
    const reply = await call(shell, 'exportPrices', fields);
    if (!reply.ok) return reply;
    const page = toRow(reply.value.value);
    const text = page['prices'];
    for (const line of typeof text === 'string' ? text.split('\n') : []) {
      const comma = line.indexOf(',');
      const price = parseMicros(line.slice(comma + 1));
      if (comma !== -1 && price.ok) prices.set(line.slice(0, comma), price.value);
    }
    const version = word(page, 'version') || null;
    const next = page['next'];
    if (typeof next !== 'string' || version === null) {
      const effectiveAt = word(page, 'effectiveAt') || null;
      return ok({ list, currency: word(page, 'currency'), version, effectiveAt, prices });
    }
    fields = { list, version, after: next };
  }
}

export interface PriceChanges {
  readonly list: string;
  readonly currency: string | undefined;
  readonly base: string | undefined;
  /** The version that they change. */
  readonly from: number;
  readonly effective: string | undefined;
  readonly mayBeFree: boolean;
  /** They make it all that the list says: a change that takes effect before it does not reach into it. */
  readonly isWhole?: boolean;
  /** In the order of the prefixes; undefined where there is to be no price. */
  readonly changes: readonly { readonly prefix: string; readonly price: Micros | undefined }[];
}

export interface Applied {
  readonly version: string;
  readonly effectiveAt: string;
}

/** Makes one version of changes: all of them hold, or none. */
export async function applyChanges(shell: Shell, wanted: PriceChanges): Promise<Result<Applied, Failure>> {
  const { list, currency, base, from, effective, mayBeFree, isWhole } = wanted;
  const begun = await call(shell, 'beginImport', {
    list,
    from: String(from),
    ...(currency !== undefined && { currency }),
    ...(base !== undefined && { base }),
    ...(effective !== undefined && { effective }),
    ...(mayBeFree && { allowFree: 'true' }),
    ...(isWhole && { replace: 'true' }),
  });
  if (!begun.ok) return begun;
  const where = { list, import: word(toRow(begun.value.value), 'import') };
  const done = await stageAndPublish(shell, where, wanted);
  // What was refused for good is given up already: then there is nothing to end.
  if (!done.ok) await call(shell, 'dropImport', where);
  return done;
}

async function stageAndPublish(
  shell: Shell,
  where: { readonly list: string; readonly import: string },
  { changes, effective }: Pick<PriceChanges, 'changes' | 'effective'>,
): Promise<Result<Applied, Failure>> {
  for (let at = 0; at < changes.length; at += callMax) {
    const lines = changes
      .slice(at, at + callMax)
      .map(({ prefix, price }) => `${prefix},${price === undefined ? '' : formatMicros(price)}\n`);
    const staged = await call(shell, 'stageImport', { ...where, prices: lines.join('') });
    if (!staged.ok) return staged;
  }
  const published = await call(shell, 'publishImport', { ...where, ...(effective !== undefined && { effective }) });
  if (!published.ok) return published;
  const row = toRow(published.value.value);
  return ok({ version: word(row, 'version'), effectiveAt: word(row, 'effectiveAt') });
}
