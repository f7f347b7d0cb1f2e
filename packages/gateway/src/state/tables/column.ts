/* The types of columns: the database type of each, and how a value is turned into a stored value and back. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- what is stored is not checked again: only the gateway writes it. */

import { type Micros, toMicros } from '@morsel/api/values/money.ts';
import { type MessageId, toMessageId } from '../../core/base/message-id.ts';
import type { Sealed } from '../sealing/data-key.ts';

/** The values that the database takes and returns. */
export type Stored = null | number | bigint | string | Uint8Array;

/**
 * What happens to a column with personal data (docs/privacy.md):
 * - `text`, of a message: emptied after the days for texts, and with an erased number.
 * - `number`, of a phone: replaced by a code after the days for numbers, and by an erasure. The audit log shows only
 *   its first and last digits.
 * - `extra`, which came with a message: emptied together with the message's number.
 * - `row`: stays as long as its row.
 */
export type Personal = 'text' | 'number' | 'extra' | 'row';

export interface Column<T> {
  /** True if values are made with a key, which alone opens or checks them. Each database has other values. */
  readonly isSealed?: boolean;
  /** The name of the column in the database, if the member's name is a word of SQL. */
  readonly name?: string;
  /** A `flag` is 1 or 0, an `integer` has up to 64 bits. */
  readonly type: 'integer' | 'flag' | 'text' | 'blob';
  readonly isNullable: boolean;
  /** True if values need 64 bits. A statement that reads such a column reads every integer as a `bigint`. */
  readonly isWide: boolean;
  /** Set if the column has data about people who send or get messages. */
  readonly personal?: Personal;
  /** True for an object as JSON whose members the audit log shows one by one. */
  readonly hasMembers?: boolean;
  /** The table whose key is in the column. */
  readonly refersTo?: string;
  /** The allowed values, beside null, which `isNullable` allows. */
  readonly allowed?: Allowed;
  /** Makes a value of a stored one. The stored value is not checked, because only the gateway writes it. */
  readonly read: (stored: Stored) => T;
  readonly write: (value: T) => Stored;
}

/** A check that the database makes of a value. `min` may name another column, whose value is the least one. */
export type Allowed =
  | { readonly values: readonly (string | number)[] }
  | { readonly min: number | string; readonly max?: number };

/** A column of any type. */
export type AnyColumn = Omit<Column<unknown>, 'write'> & { readonly write: (value: never) => Stored };

interface Codec<T> {
  readonly read: Column<T>['read'];
  readonly write: Column<T>['write'];
}

function column<T>(type: Column<T>['type'], codec: Codec<T>, isWide = false): Column<T> {
  return { type, isNullable: false, isWide, ...codec };
}

/** Writes a value unchanged. */
export const storedAsIs = (value: Stored): Stored => value;

/** Ids, counts, and instants in milliseconds since 1970. */
export const integer = column<number>('integer', { read: Number, write: storedAsIs });
export const messageId = column<MessageId>('integer', {
  read: (stored) => toMessageId(Number(stored)),
  write: storedAsIs,
});
/** Amounts of money in millionths of a unit of their currency. */
export const micros = column<Micros>(
  'integer',
  { read: (stored) => toMicros(BigInt(stored as bigint | number)), write: storedAsIs },
  true,
);
export const flag = column<boolean>('flag', { read: (stored) => Number(stored) === 1, write: Number });
export const text = column<string>('text', { read: String, write: storedAsIs });
export const bytes = column<Uint8Array>('blob', { read: (stored) => stored as Uint8Array, write: storedAsIs });

/** A value that only the key of an account opens. */
export const sealed = keyed(column<Sealed>('blob', { read: (stored) => stored as Sealed, write: storedAsIs }));

/** Marks a column whose values are made with a key. */
export function keyed<T>(of: Column<T>): Column<T> {
  return { ...of, isSealed: true };
}

/** The key of a row in another table. */
export function idOf(table: string): Column<number> {
  return refersTo(table, integer);
}

export function refersTo<T>(table: string, of: Column<T>): Column<T> {
  return { ...of, refersTo: table };
}

export function within<T>(allowed: Allowed, of: Column<T>): Column<T> {
  return { ...of, allowed };
}

/** One word of the type's words. The database does not check it. */
export function word<T extends string>(): Column<T> {
  return column('text', { read: (stored) => stored as T, write: storedAsIs });
}

/** One word of this list, which the database checks. */
export function oneOf<const T extends string>(words: readonly T[]): Column<T> {
  return within({ values: words }, word<T>());
}

/** A value that is stored as text. */
export function written<T>(codec: { read: (text: string) => T; write: (value: T) => string }): Column<T> {
  return column('text', { read: (stored) => codec.read(String(stored)), write: codec.write });
}

/** A value stored as JSON. `read` gets the result of `JSON.parse`; `write` returns the input of `JSON.stringify`. */
export function json<T>(
  codec: { readonly read?: (value: never) => T; readonly write?: (value: T) => unknown } = {},
): Column<T> {
  const { read = (value: never): T => value, write = (value: T): unknown => value } = codec;
  return written({
    read: (stored) => read(JSON.parse(stored) as never),
    write: (value) => JSON.stringify(write(value)),
  });
}

/** Marks an object as JSON whose members are settings of their own. */
export function membersOf<T extends object>(of: Column<T>): Column<T> {
  return { ...of, hasMembers: true };
}

/** The column under another name than its member. */
export function named<T>(name: string, of: Column<T>): Column<T> {
  return { ...of, name };
}

export function personal<T>(what: Personal, of: Column<T>): Column<T> {
  return { ...of, personal: what };
}

export function nullable<T>({ read, write, ...rest }: Column<T>): Column<T | null> {
  return {
    ...rest,
    isNullable: true,
    read: (stored) => (stored === null ? null : read(stored)),
    // Null is stored unchanged.
    write: write === storedAsIs ? (storedAsIs as never) : (value) => (value === null ? null : write(value)),
  };
}
