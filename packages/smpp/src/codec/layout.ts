import type { CommandName } from './commands.ts';
import { commandNames, commands, isResponseName } from './commands.ts';
import type { Field } from './fields.ts';

/*
 * The command table in the form that the encoder and the decoder use: arrays whose entries all have one hidden class.
 * That makes loops over the table fast.
 */

/** One field of a command. Reading more than `max` octets is an oddity; writing more than `writeMax` is an error. */
export interface Slot {
  readonly name: string;
  readonly kind: Field['kind'];
  readonly max: number;
  readonly writeMax: number;
}

export interface Layout {
  readonly command: CommandName;
  readonly id: number;
  /** The fields of a response may be missing; then they are `null` (see FieldsOf). */
  readonly isResponse: boolean;
  readonly slots: readonly Slot[];
  /** An empty PDU of this command. The decoder copies it and fills in the fields. */
  readonly blank: Readonly<Record<string, unknown>>;
}

const layouts: readonly Layout[] = commandNames.map(toLayout);

/** By command_id, for the decoder. */
export const layoutById: ReadonlyMap<number, Layout> = new Map(layouts.map((layout) => [layout.id, layout]));

/** By name, for the encoder. */
export const layoutByName: ReadonlyMap<string, Layout> = new Map(layouts.map((layout) => [layout.command, layout]));

function toLayout(command: CommandName): Layout {
  const { id, fields } = commands[command];
  const slots = Object.entries<Field>(fields).map(([name, field]) => toSlot(name, field));
  return { command, id, isResponse: isResponseName(command), slots, blank: toBlank(command, slots) };
}

function toSlot(name: string, field: Field): Slot {
  const max = 'max' in field ? field.max : 0;
  return { name, kind: field.kind, max, writeMax: 'writeMax' in field ? field.writeMax : max };
}

/**
 * V8 turns an object into a hash table when it gets more than a dozen properties by computed name. Copying and filling
 * that is six times slower. An object from JSON.parse has a hidden class instead.
 */
function toBlank(command: CommandName, slots: readonly Slot[]): Readonly<Record<string, unknown>> {
  const names = ['command_status', 'sequence_number', ...slots.map((slot) => slot.name), 'tlvs'];
  const members = names.map((name) => `${JSON.stringify(name)}:null`);
  const blank: Record<string, unknown> = JSON.parse(`{"command":${JSON.stringify(command)},${members.join()}}`);
  return blank;
}
