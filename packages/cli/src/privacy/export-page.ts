import { exportedTables } from '@morsel/api/admin/privacy/exported.ts';
import { objectSchema, type JsonSchema } from '@morsel/api/fields/field.ts';
import { printable, spaced } from '@morsel/api/fields/shown.ts';
import { showMicros, toMicros } from '@morsel/api/values/money.ts';

/*
 * The page of `privacy export` for people: one HTML file without scripts and links. Texts are escaped, and control
 * characters spelt out, so that no text can act in a browser.
 */

/** A row of the export, with its members as the gateway stores them. */
export interface ExportedRow {
  readonly table: string;
  readonly row: Item;
}

interface Item {
  readonly [member: string]: unknown;
}

export interface PageAbout {
  readonly receiver: string;
  readonly timeZone: string;
  readonly at: number;
}

/** How times and amounts are written: times in the time zone of the page, amounts in the currency of their row. */
interface Context {
  readonly time: (at: number) => string;
  readonly currency: string;
}

export function pageOf(rows: readonly ExportedRow[], { receiver, timeZone, at }: PageAbout): string {
  const context = { time: timesIn(timeZone), currency: '' };
  const known = Object.keys(exportedTables);
  const tables = [...known, ...new Set(rows.map(({ table }) => table).filter((table) => !known.includes(table)))];
  const sections = tables.flatMap((table) => {
    const items = rows.flatMap((each) => (each.table === table ? [each.row] : []));
    if (items.length === 0) return [];
    const { title, fields } = exportedTables[table] ?? { title: table, fields: undefined };
    const shown = items.map((item) => cardOf(fields && objectSchema(fields), item, context));
    return [`<h2>${escaped(title)} (${items.length})</h2>`, ...shown];
  });
  const about = `Written at ${context.time(at)}. Times are those of ${timeZone}, with their distance from GMT.`;
  const body = sections.length === 0 ? ['<p>Nothing is stored about this number.</p>'] : sections;
  return `${head}<h1>What is stored about ${escaped(receiver)}</h1>\n<p>${escaped(about)}</p>\n${body.join('\n')}\n</html>\n`;
}

const head = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Stored personal data</title>
<style>
body { font: 15px/1.5 sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0 0 1.5rem; }
table table { margin: 0; }
th, td { border: 1px solid #bbb; padding: 0.2rem 0.6rem; text-align: left; vertical-align: top; }
th { font-weight: normal; color: #555; }
td { overflow-wrap: anywhere; white-space: pre-wrap; }
</style>
`;

/** One row as a card. Without a schema, all members are shown as they are. */
function cardOf(schema: JsonSchema | undefined, item: Item, context: Context): string {
  const properties = propertiesOf(schema) ?? Object.fromEntries(Object.keys(item).map((name) => [name, {}]));
  const lines = Object.entries(properties).flatMap(([name, property]) => {
    const shown = cellOf(property, item[name], { ...context, currency: currencyOf(item, name) || context.currency });
    return shown === ''
      ? []
      : [`<tr><th${summaryOf(property)}>${escaped(spaced(name))}</th><td dir="auto">${shown}</td></tr>`];
  });
  return `<table>\n${lines.join('\n')}\n</table>`;
}

function summaryOf({ description }: JsonSchema): string {
  return typeof description === 'string' ? ` title="${escaped(description)}"` : '';
}

/** The currency of an amount: costs of carriers may have another one than the account. */
function currencyOf(item: Item, name: string): string {
  const currency = (name === 'cost' ? item['costCurrency'] : undefined) ?? item['currency'];
  return typeof currency === 'string' ? currency : '';
}

function cellOf(declared: JsonSchema, value: unknown, context: Context): string {
  const schema = withoutNull(declared);
  if (value === null || value === undefined || value === '') return '';
  if (Array.isArray(value)) return value.map((each) => cellOf(schemaIn(schema['items']), each, context)).join('\n');
  if (typeof value === 'object') return cardOf(schema, { ...value }, context);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && schema['format'] === 'date-time') return escaped(context.time(value));
  if (typeof value === 'string' && [schema['type']].flat().includes('number') && /^-?\d+$/.test(value)) {
    return escaped(`${showMicros(toMicros(BigInt(value)), context.currency)} ${context.currency}`.trim());
  }
  return escaped(typeof value === 'string' ? value : JSON.stringify(value));
}

function withoutNull(schema: JsonSchema): JsonSchema {
  return Array.isArray(schema['anyOf']) ? schemaIn(schema['anyOf'][0]) : schema;
}

function schemaIn(json: unknown): JsonSchema {
  return { ...Object(json) };
}

function propertiesOf(schema: JsonSchema | undefined): { readonly [name: string]: JsonSchema } | undefined {
  const properties: unknown = schema?.['properties'];
  if (typeof properties !== 'object' || properties === null) return undefined;
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, schemaIn(property)]));
}

/** Writes instants such as `2027-01-31 13:00:00 GMT+01:00`. */
function timesIn(timeZone: string): Context['time'] {
  // The Swedish locale writes dates in the form of ISO 8601.
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    timeZoneName: 'longOffset',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (at) => format.format(at);
}

const entities: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for HTML. Line breaks stay, because a text may have some. */
function escaped(text: string): string {
  const lines = text.split(/\r?\n/).map(printable);
  return lines.join('\n').replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
