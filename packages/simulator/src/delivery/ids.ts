/** More than an id has: the rest are zeros in front. */
const zerosDigits = 20;
/** Makes of a 16-digit id one of 28 digits: over 64 bits. */
const longFactor = 1_000_000_000_000n;
const uuidHead = '0e999f21-81ef-4974-a414-';
const uuidTailDigits = 12;
const same = '4711';

/** How carriers spell an id; the answer and the receipt may differ, as they do with real ones (smpp-in-the-wild, 21). */
const spellings = {
  decimal: String,
  hex: (id: number) => id.toString(16),
  upper_hex: (id: number) => id.toString(16).toUpperCase(),
  zeros: (id: number) => String(id).padStart(zerosDigits, '0'),
  /** Over 64 bits. */
  long: (id: number) => String(BigInt(id) * longFactor),
  long_hex: (id: number) => (BigInt(id) * longFactor).toString(16),
  uuid: uuidOf,
  upper_uuid: (id: number) => uuidOf(id).toUpperCase(),
  /** One and the same for every message (smpp-in-the-wild, 17). */
  same: () => same,
  empty: () => '',
} as const satisfies Record<string, (id: number) => string>;

export type IdForm = keyof typeof spellings;

/** Every form, for whoever lets a person choose. */
export const idForms: readonly IdForm[] = Object.keys(spellings).filter((form): form is IdForm => form in spellings);

/** An id as the carrier spells it here. */
export function spell(id: number, form: IdForm): string {
  return spellings[form](id);
}

function uuidOf(id: number): string {
  return `${uuidHead}${id.toString(16).padStart(uuidTailDigits, '0').slice(-uuidTailDigits)}`;
}
