/* Reads the JSON of answers in tests. */

export type Json = { readonly [member: string]: unknown };

export function toJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new TypeError(`not an object: ${JSON.stringify(value)}`);
  return { ...value };
}

/** The JSON of an answer. A test reads a value by its path. */
export class Shown {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  at(...path: readonly string[]): unknown {
    let value = this.value;
    for (const name of path) value = new Map(Object.entries(value ?? {})).get(name);
    return value;
  }

  /** The number at a path; 0 if there is none. */
  number(...path: readonly string[]): number {
    return Number(this.at(...path) ?? 0);
  }

  text(...path: readonly string[]): string {
    const value = this.at(...path);
    if (typeof value !== 'string') throw new Error(`there is no text at ${path.join('.')}`);
    return value;
  }
}
