/* The types of columns: what each is in the database, and how a value of ours becomes a stored one and back. */

/* oxlint-disable typescript/no-unsafe-type-assertion -- what is stored is not checked again: only the gateway writes it. */

import { type Micros, toMicros } from '@morsel/api/values/money.ts';
import { type MessageId, toMessageId } from '../../core/base/message-id.ts';
import type { Sealed } from '../sealing/data-key.ts';

/** What the database takes and gives. */
export type Stored = null | number | bigint | string | Uint8Array;

/**
 * What becomes of a column with personal data (docs/privacy.md):
 * - `text`, of a message: emptied after the days for texts, and with an erased number.
 * - `number`, of a phone: after the days for numbers, and by an erasure, a code takes its place. The audit log has only its
 *   first and last digits.
 * - `extra`, which came with a message: emptied with its number.
 * - `row`: stays as long as its row.
 */
export type Personal = 'text' | 'number' | 'extra' | 'row';

export interface Column<T> {
  /** Its values are made with a key: only the key opens or checks them, and each database has others. */
  readonly isSealed?: boolean;
  /** Its name in the database, if the member's own name is a word of SQL. */
  readonly name?: string;
  /** A `flag` is 1 or 0, an `integer` has up to 64 bits. */
  readonly type: 'integer' | 'flag' | 'text' | 'blob';
  readonly isNullable: boolean;
  /** Its values need 64 bits: a statement that reads it reads every integer as a `bigint`. */
  readonly isWide: boolean;
  /** Set if it says something about the people who send and get messages. */
  readonly personal?: Personal;
  /** The table whose key it has. */
  readonly refersTo?: string;
  /** The values that it may have; null is as `isNullable` says. */
  readonly allowed?: Allowed;
  /** What is stored is not checked again: only the gateway writes it. */
  readonly read: (stored: Stored) => T;
  readonly write: (value: T) => Stored;
}

/** What the database checks of a value. `min` may name another column, whose value is the least one. */
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

/** For columns that are stored as they are. */
export const storedAsIs = (value: Stored): Stored => value;

/** Ids, counts, and instants in milliseconds since 1970. */
export const integer = column<number>('integer', { read: Number, write: storedAsIs });
export const messageId = column<MessageId>('integer', {
  read: (stored) => toMessageId(Number(stored)),
  write: storedAsIs,
});
/** Amounts in millionths of a unit of their currency. */
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

/** For values that are made with a key. */
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

/** One word of a list that the type names. */
export function word<T extends string>(): Column<T> {
  return column('text', { read: (stored) => stored as T, write: storedAsIs });
}

/** One word of this list, which the database checks. */
export function oneOf<const T extends string>(words: readonly T[]): Column<T> {
  return within({ values: words }, word<T>());
}

/** A value that is written as a text. */
export function written<T>(codec: { read: (text: string) => T; write: (value: T) => string }): Column<T> {
  return column('text', { read: (stored) => codec.read(String(stored)), write: codec.write });
}

/** A value that no query looks into. `read` gets what `JSON.parse` gives, `write` gives what `JSON.stringify` takes. */
export function json<T>(
  codec: { readonly read?: (value: never) => T; readonly write?: (value: T) => unknown } = {},
): Column<T> {
  const { read = (value: never): T => value, write = (value: T): unknown => value } = codec;
  return written({
    read: (stored) => read(JSON.parse(stored) as never),
    write: (value) => JSON.stringify(write(value)),
  });
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
    // A null is stored as it is.
    write: write === storedAsIs ? (storedAsIs as never) : (value) => (value === null ? null : write(value)),
  };
}
