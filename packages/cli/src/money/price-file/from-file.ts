import { counted } from '@morsel/api/admin/shown.ts';
import { optional } from '@morsel/api/admin/compose.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { oneOf, text } from '@morsel/api/admin/fields.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import type { Failure, Shell } from '../../command.ts';
import { dataIn, unusable } from '../../files/data-file.ts';
import { priceFormats, type LeftOut } from './gathered.ts';
import type { NetworkMap } from './network.ts';
import type { FilePrices } from './read.ts';

/* Reads the price files that a command names. If a file has a problem, no part of the file is used. */

export const fileFields = {
  format: optional(
    oneOf(priceFormats, {
      summary: 'format of the file',
      defaultText: 'recognized by the content',
      placeholder: '<format>',
    }),
  ),
  mapping: optional(
    text({ summary: 'file with prefixes and their MCC-MNC, for price files by network', placeholder: '<file>' }),
  ),
};

interface Wanted extends Values<typeof fileFields> {
  readonly file: string;
  readonly currency: string;
  /** Prices that take effect later are left out. */
  readonly at: Instant;
  readonly allowFree: boolean;
  readonly allowEmpty: boolean;
}

/** All problems of the file are reported. */
export async function pricesIn(shell: Shell, wanted: Wanted): Promise<Result<FilePrices, Failure>> {
  const { file, mapping, allowEmpty, allowFree: mayBeFree } = wanted;
  const content = await dataIn(shell, file);
  if (!content.ok) return content;
  const map = mapping === undefined ? ok(undefined) : await mapIn(shell, mapping);
  if (!map.ok) return map;
  const { readPriceFile } = await import('./read.ts');
  const read = readPriceFile({ ...wanted, text: content.value, map: map.value, mayBeFree });
  if (read.problems.length > 0) return refused(unusable(shell, file, read.problems));
  return read.prices.size > 0 || allowEmpty ? ok(read) : refused(noPrices(shell, file, read));
}

/** A failed program often leaves an empty file, which must not remove all prices of a list. */
function noPrices(shell: Shell, file: string, { leftOut }: FilePrices): Failure {
  if (!shell.isJson) for (const each of leftOut) shell.warn(`${file}: ${leftOutLine(each)}`);
  return { kind: 'refused', detail: `${file} has no prices: add --allow-empty if this is intended` };
}

export function leftOutLine({ why, rows, firstLine, firstItem }: LeftOut): string {
  const first = firstItem === undefined ? `line ${firstLine}` : `item ${firstItem}`;
  return `left out: ${counted(rows, 'row')} (first in ${first}): ${why}`;
}

async function mapIn(shell: Shell, file: string): Promise<Result<NetworkMap, Failure>> {
  const content = await dataIn(shell, file);
  if (!content.ok) return content;
  const { readNetworkMap } = await import('./network.ts');
  const { map, problems } = readNetworkMap(content.value);
  return problems.length > 0 ? refused(unusable(shell, file, problems)) : ok(map);
}
