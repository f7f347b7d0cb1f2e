import type { Json } from '@morsel/api/admin/exact-json.ts';
import type { Hide } from '@morsel/api/admin/field.ts';
import { maskNumber } from '../../../core/number/masked.ts';

/** What some roles and the audit log get for a personal value: a number without most digits, and no text. */
export const hidePersonal: Hide = (json, personal) => (personal === 'number' ? masked(json) : undefined);

/** Hides most digits of each number in a text, or in the texts of a list. The names of senders stay. */
function masked(json: Json): Json {
  if (Array.isArray(json)) return json.map(masked);
  return typeof json === 'string' ? json.replaceAll(/\+?\d{4,}/g, maskNumber) : undefined;
}
