/* Checks the private networks that a webhook, a callback, or a receiver of alarms may connect to. */

import type { AddressRange } from '@morsel/api/values/address-range.ts';
import { ok } from '@morsel/api/values/result.ts';
import { tooWideFor } from '../../../core/notification/outward-address.ts';
import { invalid } from '../../../core/base/rejection.ts';
import type { Decided } from '../decided.ts';

/** Refuses ranges that may include networks that the operator did not think of. */
export function checkRanges(allow: readonly AddressRange[], field = 'allow'): Decided<null> {
  const tooWide = allow.find((range) => tooWideFor(range) !== undefined);
  return tooWide ? invalid(field, tooWideText(tooWide)) : ok(null);
}

function tooWideText(range: AddressRange): string {
  const inside = tooWideFor(range);
  return `${range.text} has the whole of ${inside} in it, and more: give the very network that it leads to, such as 10.1.0.0/16; public addresses need none`;
}
