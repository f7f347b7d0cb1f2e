/*
 * What a kind of carrier declares about its settings, without I/O. `../carrier-kinds.ts` lists all kinds; the links of
 * each are in the gateway's `edge/carriers`.
 */

import type { Result } from '../../../values/result.ts';
import type { FieldTable, Values } from '../../../fields/field.ts';

export interface SettingFault {
  readonly field: string;
  readonly detail: string;
}

/** The settings of one kind. `Open` is stored as one value, `Secrets` are sealed one by one. */
export interface CarrierSettingsKind<Open extends object, Secrets extends object, Given extends object, Shown> {
  /** The order of the names is never changed, because stored secrets are bound to it. */
  readonly secrets: readonly (keyof Secrets & string)[];
  /** The longest id of a message in answers and receipts. A longer one is cut in both, so they still match. */
  readonly idMax: number;
  /** Gives settings that are newer than a stored row their defaults. */
  stored(row: Open): Open;
  /** The settings of a new carrier, or those after a change. Has the secrets that are in `given` or in `before`. */
  change(given: Given, before?: Open & Secrets): Open & Secrets;
  /** Which settings contradict each other. Of a secret only counts whether it is set. */
  check(settings: Open & Secrets): Result<null, SettingFault>;
  /** The settings as the operators' API shows them. */
  shown(settings: Open): Shown;
  /** What a link connects with. If it changes, the links connect again. */
  connection(settings: Open & Secrets): unknown;
  /** Whether one request sends all parts of a long message. */
  takesWhole(settings: Open): boolean;
  /** The sender of one more attempt after the carrier refused a sender; null for none. */
  defaultSender(settings: Open): string | null;
  /** The tags of clients' extra values that the carrier accepts. */
  passes(settings: Open): readonly number[] | 'any';
  /** Whether a text that nothing else marks as a receipt is one. */
  textReceipts(settings: Open): 'on' | 'off';
}

/** The defaults of the fields that have one. */
export function defaultsOf(table: FieldTable): object {
  return Object.fromEntries(
    Object.entries(table).flatMap(([name, { otherwise }]) => (otherwise ? [[name, otherwise.value]] : [])),
  );
}

/** The values of a request for the fields of this table. */
export function givenOf<T extends FieldTable>(table: T, values: object): Partial<Values<T>> {
  const given = Object.entries(values).filter(([name, value]) => value !== undefined && Object.hasOwn(table, name));
  // Each value was read by the field of its name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(given) as Partial<Values<T>>;
}
