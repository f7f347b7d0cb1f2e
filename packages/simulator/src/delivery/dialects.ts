/*
 * Writes the texts of receipts in the dialects (variants of the format) that carriers use.
 */

export interface ReceiptFacts {
  readonly id: string;
  readonly dlvrd: '000' | '001';
  readonly submittedAtMs: number;
  readonly doneAtMs: number;
  readonly stat: string;
  readonly error: string;
  /** The beginning of the message text, in Latin-1. */
  readonly text: string;
}

const hourMs = 3_600_000;
/** The offset of the simulated carrier's time zone from UTC. */
const aheadMs = 7 * hourMs;
/** The time zone offset in quarters of an hour, for absolute times (3.4 section 7.1.1). */
const aheadQuarters = 28;

const dialects = {
  standard: (facts: ReceiptFacts) => standard(facts, digits(10)),
  /** The dates have seconds. */
  dates_12: (facts: ReceiptFacts) => standard(facts, digits(12)),
  /** The dates have a four-digit year and seconds, and `err` has four digits. */
  dates_14: (facts: ReceiptFacts) => standard({ ...facts, error: `0${facts.error}` }, century),
  /** The dates are absolute SMPP times in the carrier's time zone. */
  absolute: (facts: ReceiptFacts) => standard(facts, (atMs) => `${digits(12)(atMs + aheadMs)}0${aheadQuarters}+`),
  /** The dates are in the carrier's time zone, but do not contain its UTC offset. */
  elsewhere: (facts: ReceiptFacts) => standard(facts, (atMs) => digits(10)(atMs + aheadMs)),
  hex_error: (facts: ReceiptFacts) => standard({ ...facts, error: '1B' }, digits(10)),
  other_order: ({ id, dlvrd, stat, error, submittedAtMs, doneAtMs }: ReceiptFacts) =>
    `stat:${stat} err:${error} done date:${digits(10)(doneAtMs)} submit date:${digits(10)(submittedAtMs)}` +
    ` dlvrd:${dlvrd} sub:001 id:${id}`,
  /** The keys are in upper case, and the value of `stat` is in lower case. */
  other_case: (facts: ReceiptFacts) => {
    const text = standard({ ...facts, id: '\u0001', stat: '\u0002', text: '' }, digits(10)).toUpperCase();
    return text.replace('\u0001', facts.id).replace('\u0002', facts.stat.toLowerCase());
  },
  /** The text has only the keys `id` and `stat`. */
  short: ({ id, stat }: ReceiptFacts) => `id:${id} stat:${stat}`,
  underscores: (facts: ReceiptFacts) => standard(facts, digits(10)).replaceAll(' date:', '_date:'),
  spaces: (facts: ReceiptFacts) => standard(facts, digits(10)).replaceAll(':', ': '),
  unreadable: () => 'Zustellung: ja',
} as const satisfies Record<string, (facts: ReceiptFacts) => string>;

export type Dialect = keyof typeof dialects | 'ucs2';

/** Returns the text of a receipt as octets. */
export function writeDialect(facts: ReceiptFacts, dialect: Dialect): Uint8Array {
  // UCS-2 needs two octets for each character, so the receipt has no space for the text of the message.
  if (dialect === 'ucs2') return Buffer.from(dialects.standard({ ...facts, text: '' }), 'utf16le').swap16();
  return Buffer.from(dialects[dialect](facts), 'latin1');
}

function standard(facts: ReceiptFacts, dateOf: (atMs: number) => string): string {
  const { id, dlvrd, submittedAtMs, doneAtMs, stat, error, text } = facts;
  return (
    `id:${id} sub:001 dlvrd:${dlvrd} submit date:${dateOf(submittedAtMs)} done date:${dateOf(doneAtMs)}` +
    ` stat:${stat} err:${error} text:${text}`
  );
}

/** Returns a function that formats a date as the first 10 or 12 digits of YYMMDDhhmmss in UTC. */
function digits(count: 10 | 12): (atMs: number) => string {
  return (atMs) => century(atMs).slice(2, 2 + count);
}

function century(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/\D/g, '').slice(0, 14);
}
