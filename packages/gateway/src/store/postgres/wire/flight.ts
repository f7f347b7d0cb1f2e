/*
 * Statements that go to PostgreSQL at once, with one wait for all answers: one Sync (PostgreSQL's manual, 55.2.3). With
 * the Sync and Describe that `pg` sends for each statement, groups took the thread twice as long.
 */

import { types, type Field, type Protocol } from 'pg';
import type { Stored } from '../../../state/tables/column.ts';

export interface Statement {
  readonly text: string;
  /** Values of columns, or arrays in binary form. A statement with values is prepared once in each connection. */
  readonly values?: readonly (Stored | Buffer)[];
}

/** The rows of an answer. Integers of 64 bits are given as texts. */
export type Found = readonly (readonly Stored[])[];

/** A statement that the server knows by its name, or parses each time. */
interface Prepared {
  readonly name: string;
  isParsed: boolean;
  /** A flight with this statement failed, so the server may not know its name. */
  isUnsure: boolean;
  fields: readonly Field[];
  parsers: readonly ((text: string) => unknown)[];
}

function unparsed(name: string): Prepared {
  return { name, isParsed: false, isUnsure: false, fields: [], parsers: [] };
}

export class PreparedStatements {
  readonly #byText = new Map<string, Prepared>();

  of({ text, values }: Statement): Prepared {
    if (!values) return unparsed('');
    const known = this.#byText.get(text) ?? unparsed(`s${this.#byText.size}`);
    this.#byText.set(text, known);
    return known;
  }
}

export interface FlightAnswer {
  readonly fields: readonly Field[];
  readonly found: Found;
}

/** Many statements as one query of `pg`. The first fault ends it, and skips the statements after it. */
export class Flight {
  readonly #statements: readonly { readonly statement: Statement; readonly prepared: Prepared }[];
  readonly #answers: { readonly fields: readonly Field[]; readonly found: Stored[][] }[] = [];
  readonly #end = Promise.withResolvers<readonly FlightAnswer[]>();
  #found: Stored[][] = [];

  constructor(statements: readonly Statement[], known: PreparedStatements) {
    this.#statements = statements.map((statement) => ({ statement, prepared: known.of(statement) }));
  }

  /** One answer for each statement. Rejects with the server's fault. */
  get answers(): Promise<readonly FlightAnswer[]> {
    return this.#end.promise;
  }

  submit(to: Protocol): void {
    to.stream.cork();
    for (const { statement, prepared } of this.#statements) {
      const { name } = prepared;
      if (!prepared.isParsed) {
        if (prepared.isUnsure) to.close({ type: 'S', name });
        to.parse({ text: statement.text, name });
        to.describe({ type: 'S', name });
        prepared.isParsed = name !== '';
      }
      to.bind({ statement: name, values: (statement.values ?? []).map(writtenOf) });
      to.execute({});
    }
    to.sync();
    to.stream.uncork();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    const { prepared } = this.#current;
    prepared.fields = fields;
    prepared.parsers = fields.map(({ dataTypeID }) => types.getTypeParser(dataTypeID));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { parsers } = this.#current.prepared;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our columns have these types only
    this.#found.push(fields.map((field, at) => (field === null ? null : parsers[at]?.(field))) as Stored[]);
  }

  handleCommandComplete(): void {
    this.#answers.push({ fields: this.#current.prepared.fields, found: this.#found });
    this.#found = [];
  }

  handleError(fault: unknown): void {
    for (const { prepared } of this.#statements.slice(this.#answers.length)) {
      prepared.isParsed = false;
      prepared.isUnsure = true;
    }
    this.#end.reject(fault);
  }

  handleReadyForQuery(): void {
    this.#end.resolve(this.#answers);
  }

  get #current() {
    const current = this.#statements[this.#answers.length];
    if (!current) throw new Error('PostgreSQL answered more than it was asked');
    return current;
  }
}

function writtenOf(value: Stored | Buffer): Buffer | string | null {
  if (value === null || value instanceof Buffer) return value;
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : String(value);
}
