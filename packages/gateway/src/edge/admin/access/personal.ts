import type { Json } from '@morsel/api/fields/exact-json.ts';
import type { Hide } from '@morsel/api/fields/field.ts';
import { maskNumber } from '../../../core/number/masked.ts';

/** What the audit log and some roles see of a personal value: a number without most digits, and nothing of a text. */
export const hidePersonal: Hide = (json, personal) => (personal === 'number' ? masked(json) : undefined);

/** Hides most digits of each number in a text, or in a list of texts. Alphanumeric senders are not hidden. */
function masked(json: Json): Json {
  if (Array.isArray(json)) return json.map(masked);
  return typeof json === 'string' ? json.replaceAll(/\+?\d{4,}/g, maskNumber) : undefined;
}
