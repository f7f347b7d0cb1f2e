import { type CommandName, commandNames, commands, isResponseName } from './commands.ts';
import type { Field } from './fields.ts';

/*
 * The command table in the form that the encoder and the decoder use: arrays of objects of the same shape. V8 loops
 * fast over arrays of objects of the same shape.
 */

/**
 * One field of a command, with its limits. If a value has more than `max` octets, the decoder reports an oddity. If a
 * value has more than `writeMax` octets, the encoder throws.
 */
export interface Slot {
  readonly name: string;
  readonly kind: Field['kind'];
  readonly max: number;
  readonly writeMax: number;
}

export interface Layout {
  readonly command: CommandName;
  readonly id: number;
  /** A missing field of a response is `null` (see FieldsOf). */
  readonly isResponse: boolean;
  readonly slots: readonly Slot[];
  /** An empty PDU of this command. The decoder copies this PDU and fills in the fields. */
  readonly blank: Readonly<Record<string, unknown>>;
}

const layouts: readonly Layout[] = commandNames.map(toLayout);

/** The layout of each command by command_id, for the decoder. */
export const layoutById: ReadonlyMap<number, Layout> = new Map(layouts.map((layout) => [layout.id, layout]));

/** The layout of each command by name, for the encoder. */
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
 * Builds the object with JSON.parse for speed. If code adds more than a dozen properties by computed name, V8 makes the
 * object a hash table, and copying it becomes six times slower.
 */
function toBlank(command: CommandName, slots: readonly Slot[]): Readonly<Record<string, unknown>> {
  const names = ['command_status', 'sequence_number', ...slots.map((slot) => slot.name), 'tlvs'];
  const members = names.map((name) => `${JSON.stringify(name)}:null`);
  const blank: Record<string, unknown> = JSON.parse(`{"command":${JSON.stringify(command)},${members.join()}}`);
  return blank;
}
