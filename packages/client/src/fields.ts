/* Reads the fields of an answer or a webhook, from JSON or a form. */

import { toDecimal, type Decimal } from './amount.ts';

/** An amount as a JavaScript number, which may be rounded, and as an exact decimal text. */
export interface Amount {
  readonly number: number;
  readonly exact: Decimal;
}

/**
 * The error for a required field that is missing or has the wrong type. The error contains the name of the field, never
 * the value.
 */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: string) {
    super(`the field ${field} is missing or has the wrong type`);
    this.field = field;
  }
}

type Members = Readonly<Record<string, unknown>>;

/** The fields of an answer or a webhook. An optional field of the wrong type counts as missing. */
export class Fields {
  readonly all: Members;
  /** The fields of the answer or webhook, with each number as text. */
  readonly #digits: Members;

  private constructor(all: Members, digits: Members) {
    this.all = all;
    this.#digits = digits;
  }

  /** Reads the members of a JSON object; returns undefined if the text is not a JSON object. */
  static ofJson(text: string): Fields | undefined {
    try {
      const all: unknown = JSON.parse(text);
      // The text is valid JSON, so everything outside of strings that looks like a number is a number.
      const digits: unknown = JSON.parse(
        text.replaceAll(stringOrNumber, (token) => (token[0] === '"' ? token : `"${token}"`)),
      );
      return Fields.#ofValues(all, digits);
    } catch {
      return undefined;
    }
  }

  /**
   * Reads the fields of a query or a form (application/x-www-form-urlencoded). If a name is repeated, the first value
   * counts.
   */
  static ofForm(text: string): Fields {
    const first = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) if (!first.has(name)) first.set(name, value);
    const all = Object.fromEntries(first);
    return new Fields(all, all);
  }

  static #ofValues(all: unknown, digits: unknown): Fields | undefined {
    return isObject(all) && isObject(digits) ? new Fields(all, digits) : undefined;
  }

  text(name: string): string {
    return needed(name, this.optionalText(name));
  }

  /** Returns a required field that is a whole number of 0 or more. */
  count(name: string): number {
    return needed(name, this.optionalCount(name));
  }

  amount(name: string): Amount {
    return needed(name, this.optionalAmount(name));
  }

  flag(name: string): boolean {
    return needed(name, this.optionalFlag(name));
  }

  /** Returns the objects in a required array. */
  list(name: string): readonly Fields[] {
    return needed(name, this.optionalList(name));
  }

  optionalText(name: string): string | undefined {
    const value = own(this.all, name);
    return typeof value === 'string' ? value : undefined;
  }

  /** Returns the texts in a JSON array, or the words of a text with commas between them. */
  optionalWords(name: string): readonly string[] | undefined {
    const value = own(this.all, name);
    if (Array.isArray(value)) return value.filter((word) => typeof word === 'string');
    return typeof value === 'string' && value !== '' ? value.split(',') : undefined;
  }

  optionalCount(name: string): number | undefined {
    const value = own(this.all, name);
    // All values of a form are text.
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
  }

  optionalAmount(name: string): Amount | undefined {
    const digits = own(this.#digits, name);
    const exact = typeof digits === 'string' ? toDecimal(digits) : undefined;
    const number = Number(exact);
    return exact !== undefined && Number.isFinite(number) ? { number, exact } : undefined;
  }

  optionalFlag(name: string): boolean | undefined {
    const value = own(this.all, name);
    if (value === true || value === 'true' || value === '1') return true;
    return value === false || value === 'false' || value === '0' ? false : undefined;
  }

  optionalList(name: string): readonly Fields[] | undefined {
    const values = own(this.all, name);
    const digits = own(this.#digits, name);
    if (!Array.isArray(values) || !Array.isArray(digits)) return undefined;
    return values.flatMap((value, at) => Fields.#ofValues(value, digits[at]) ?? []);
  }
}

const stringOrNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function needed<T>(name: string, value: T | undefined): T {
  if (value === undefined) throw new FieldError(name);
  return value;
}

/** The type `T` with optional members instead of members that may be undefined. */
export type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>;
};

/** Removes the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that are undefined were removed
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>;
}

/** What you give with a message, and its reports and webhooks return. */
export interface Echo {
  /** Your own reference for the message, up to 64 characters. */
  readonly clientRef?: string;
  /** Up to 8 different words, each of 1 to 32 letters, digits and the characters `.`, `_`, `:` and `-`. */
  readonly tags?: readonly string[];
}

export function readEcho(fields: Fields): Echo {
  return present({ clientRef: fields.optionalText('clientRef'), tags: fields.optionalWords('tags') });
}
