import type { Json } from '../fields/exact-json.ts';
import { jsonOf, typedText, type Field, type FieldTable, type Values } from '../fields/field.ts';

/* Writes rows as CSV (RFC 4180, with commas and LF) or as JSON lines, for programs and spreadsheets. */

/** CSV without a line break at the end. An apostrophe before a formula makes spreadsheets read it as text. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoted).join(',')).join('\n');
}

/**
 * Besides cells with quotes or line breaks, cells that a reader could divide, take for a comment, or strip of blanks.
 */
const mustBeQuoted = /[",;\t\n\r]|^[#\s]|\s$/;

function quoted(cell: string): string {
  const safe = cell.replaceAll(formulaBegin, "'");
  return mustBeQuoted.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function plainCell(cell: string): string {
  return cell.replaceAll(markedBegin, '');
}

/** The beginning of a formula, also in full-width characters. Phone numbers and amounts with a sign are no formula. */
const formula = String.raw`(?:[=@\uff1d\uff20]|[+\-\uff0b\uff0d](?![\d.]+(?:$|[;\t\r\n])))`;
/** Some spreadsheets divide a cell at a semicolon or tab, also within quotes, and drop blanks before the formula. */
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

/** The members that an object always has. A field that is no object has none. */
function membersOf({ schema }: Field<unknown>): readonly string[] {
  return Object.keys(Object(schema['properties']));
}

/** Commas separate the items of a list. A list of objects is written as `version=3 effectiveAt=…; version=4 …`. */
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
