import type { Json } from './exact-json.ts';
import { jsonOf, typedText, type Field, type FieldTable, type Values } from './field.ts';

/* Writes rows as CSV (RFC 4180, with commas and LF) or as JSON lines, for programs and spreadsheets. */

/** Without a line break at the end. An apostrophe makes spreadsheets read a formula as text. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoted).join(',')).join('\n');
}

/** Cells that readers could take for a comment or divide, or whose blanks they could drop, are quoted, too. */
const mustBeQuoted = /[",;\t\n\r]|^[#\s]|\s$/;

function quoted(cell: string): string {
  const safe = cell.replaceAll(formulaBegin, "'");
  return mustBeQuoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function plainCell(cell: string): string {
  return cell.replaceAll(markedBegin, '');
}

/** A formula of a spreadsheet, also in full width. Programs need phone numbers and amounts with a sign unchanged. */
const formula = String.raw`(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?![\d.]+(?:$|[;\t\r\n])))`;
/** With a semicolon or tab as separator, a cell is divided there, also within quotes; some drop blanks before. */
const [atStart, inside] = [String.raw`(?<=^[ "]*)`, String.raw`(?<=[;\t\r\n][ "]*)`];
const ahead = [`${atStart}MARK(?='*(?:[\\t\\r\\n]|${formula}))`, `${inside}MARK(?='*${formula})`].join('|');
const formulaBegin = new RegExp(ahead.replaceAll('MARK', ''), 'g');
const markedBegin = new RegExp(ahead.replaceAll('MARK', "'"), 'g');

/** A field with an object has a column for each member, such as `profile.bind`. */
export function csvHeading(answer: FieldTable): readonly string[] {
  return Object.entries(answer).flatMap(([name, field]) => {
    const members = membersOf(field);
    return members.length === 0 ? [name] : members.map((member) => `${name}.${member}`);
  });
}

export function csvRow<A extends FieldTable>(answer: A, row: Values<A>): readonly string[] {
  return csvCells(answer, jsonOf(answer, row));
}

export function csvCells(answer: FieldTable, cells: { readonly [field: string]: Json }): readonly string[] {
  return Object.entries(answer).flatMap(([name, field]) => {
    const members = membersOf(field);
    if (members.length === 0) return [csvCell(cells[name])];
    const object: { readonly [member: string]: Json } = { ...Object(cells[name]) };
    return members.map((member) => csvCell(object[member]));
  });
}

/** The members that an object always has. A field of another type has none. */
function membersOf({ schema }: Field<unknown>): readonly string[] {
  return Object.keys(Object(schema['properties']));
}

/** Commas separate the items of a list. Objects are written as `version=3 effectiveAt=…; version=4 …`. */
function csvCell(json: Json): string {
  if (json === null || json === undefined) return '';
  if (Array.isArray(json)) return json.map(csvCell).join(json.some(isObject) ? '; ' : ',');
  if (!isObject(json)) return typedText(json);
  return Object.entries(json)
    .map(([name, value]) => `${name}=${csvCell(value)}`)
    .join(' ');
}

function isObject(json: Json): json is { readonly [member: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
