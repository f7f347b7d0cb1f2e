/** More than an id has: the rest are zeros in front. */
const ZEROS_DIGITS = 20;
/** Makes of a 16-digit id one of 28 digits: over 64 bits. */
const LONG_FACTOR = 1_000_000_000_000n;
const UUID_HEAD = '0e999f21-81ef-4974-a414-';
const UUID_TAIL_DIGITS = 12;
const SAME = '4711';

/** How carriers spell an id; the answer and the receipt may differ, as they do with real ones (smpp-in-the-wild, 21). */
const SPELLINGS = {
  decimal: String,
  hex: (id: number) => id.toString(16),
  upper_hex: (id: number) => id.toString(16).toUpperCase(),
  zeros: (id: number) => String(id).padStart(ZEROS_DIGITS, '0'),
  /** Over 64 bits. */
  long: (id: number) => String(BigInt(id) * LONG_FACTOR),
  long_hex: (id: number) => (BigInt(id) * LONG_FACTOR).toString(16),
  uuid: uuidOf,
  upper_uuid: (id: number) => uuidOf(id).toUpperCase(),
  /** One and the same for every message (smpp-in-the-wild, 17). */
  same: () => SAME,
  empty: () => '',
} as const satisfies Record<string, (id: number) => string>;

export type IdForm = keyof typeof SPELLINGS;

/** Every form, for whoever lets a person choose. */
export const ID_FORMS: readonly IdForm[] = Object.keys(SPELLINGS).filter((form): form is IdForm => form in SPELLINGS);

/** An id as the carrier spells it here. */
export function spell(id: number, form: IdForm): string {
  return SPELLINGS[form](id);
}

function uuidOf(id: number): string {
  return `${UUID_HEAD}${id.toString(16).padStart(UUID_TAIL_DIGITS, '0').slice(-UUID_TAIL_DIGITS)}`;
}
