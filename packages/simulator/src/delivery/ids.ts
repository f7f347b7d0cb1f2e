/** The number of digits of an id with leading zeros. */
const zerosDigits = 20;
/** The factor that makes an id of 28 digits from an id of 16 digits. An id of 28 digits needs more than 64 bits. */
const longFactor = 1_000_000_000_000n;
const uuidHead = '0e999f21-81ef-4974-a414-';
const uuidTailDigits = 12;
const same = '4711';

/**
 * The formats of message ids. The answer and the receipt of a message may use different formats, as with real carriers.
 */
const spellings = {
  decimal: String,
  hex: (id: number) => id.toString(16),
  upper_hex: (id: number) => id.toString(16).toUpperCase(),
  zeros: (id: number) => String(id).padStart(zerosDigits, '0'),
  /** An id that needs more than 64 bits. */
  long: (id: number) => String(BigInt(id) * longFactor),
  long_hex: (id: number) => (BigInt(id) * longFactor).toString(16),
  uuid: uuidOf,
  upper_uuid: (id: number) => uuidOf(id).toUpperCase(),
  /** Every message gets the same id. */
  same: () => same,
  empty: () => '',
} as const satisfies Record<string, (id: number) => string>;

export type IdForm = keyof typeof spellings;

/** The names of all id formats, for the options of a command line. */
export const idForms: readonly IdForm[] = Object.keys(spellings).filter((form): form is IdForm => form in spellings);

/** Returns an id in this format. */
export function spell(id: number, form: IdForm): string {
  return spellings[form](id);
}

function uuidOf(id: number): string {
  return `${uuidHead}${id.toString(16).padStart(uuidTailDigits, '0').slice(-uuidTailDigits)}`;
}
