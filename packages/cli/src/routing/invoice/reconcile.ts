/* The command `carrier reconcile`, which compares the invoice of a carrier with our records. */

import { counted } from '@morsel/api/fields/shown.ts';
import { optional, orNone } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type Values } from '@morsel/api/fields/field.ts';
import { amount, count, currency, flag, instant, name, oneOf, rowId, text } from '@morsel/api/fields/fields.ts';
import type { cdrFields } from '@morsel/api/admin/message/cdr.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, type Instant } from '@morsel/api/values/time.ts';
import { gatewayCalls } from '../../admin-client.ts';
import { commandOf } from '../../bind.ts';
import { usage, type Command, type Failure, type Shell } from '../../command.ts';
import { dataIn, unusable } from '../../files/data-file.ts';
import { recordPages } from '../../message/cdr.ts';
import { csvOf, csvHeading, csvRow } from '@morsel/api/admin/csv.ts';
import { tableOf } from '../../show.ts';
import { AcceptedParts, differenceKinds, type Accepted, type Difference } from './compare.ts';
import type { Billed } from './read.ts';

/** A part ends at most this long after its submission: its validity, and the longest wait for its receipt. */
const endMaxMs = 14 * 24 * hourMs;
/** The most parts that are compared at once. Parts are kept in memory, some 200 octets each. */
const partsMax = 5_000_000;
const shownMax = 1_000;
/** The most lines without an accepted part that are looked up one by one. */
const looksMax = 1_000;

const heading = (what: string) =>
  optional(
    text({ summary: `heading of the column with ${what}`, placeholder: '<heading>', defaultText: 'its usual names' }),
  );

const input = {
  carrier: name({ summary: 'carrier that sent the invoice' }),
  file: text({ summary: 'CSV file with a line for each message or part', placeholder: '<file>' }),
  from: instant({ summary: 'begin of the period of the invoice, by the time when parts were submitted' }),
  to: instant({ summary: 'end of the period' }),
  idColumn: heading('the carrier’s message id'),
  partsColumn: heading('the number of parts'),
  amountColumn: heading('the amount of the line'),
  unitPriceColumn: heading('the price of one part'),
  currencyColumn: heading('the currency'),
  csv: optional(flag({ summary: 'print the differences as CSV' }), false),
};

const differenceFields = {
  kind: oneOf(differenceKinds, { summary: 'kind of difference' }),
  line: orNone(count({ summary: 'line of the file' })),
  id: text({ summary: 'message id of the carrier' }),
  msgId: orNone(rowId({ summary: 'our message', label: 'Message id' })),
  theirParts: orNone(count({ summary: 'parts that the invoice bills' })),
  ourParts: orNone(count({ summary: 'parts that the carrier accepted' })),
  theirAmount: orNone(amount({ summary: 'amount of the invoice' })),
  ourAmount: orNone(amount({ summary: 'cost by our records; null if it is unknown' })),
  currency: orNone(currency({ summary: 'currency of the cost' })),
};

export const reconcileCommand: Command = commandOf({
  words: 'carrier reconcile',
  summary: 'Compare the invoice of a carrier with the parts that it accepted',
  input,
  arguments: ['carrier', 'file'],
  examples: {
    'carrier reconcile alpha invoice.csv --from 2026-01-01 --to 2026-02-01':
      'compare an invoice; exit status 1 means differences',
    'carrier reconcile alpha invoice.csv --from 2026-01-01 --to 2026-02-01 --id-column ref --csv':
      'name a column, and print CSV',
  },
  notes:
    () => `Lines and parts are matched by the carrier's message id, in each form in which carriers write ids. A line may bill one
part, or all parts of a message. only-theirs: the invoice has an id that no part of the period has. only-ours: a part was
accepted in the period, but is not billed. other-price, other-parts: both have it, but not alike.`,
  run: reconcile,
});

async function reconcile(given: Values<typeof input>, shell: Shell): ReturnType<Command['run']> {
  const { carrier, file, from, to, csv } = given;
  if (from >= to) return refused(usage('--from must be before --to'));
  if (csv && shell.isJson) return refused(usage('give --json or --csv, not both'));
  const learned = await gatewayCalls(shell).carrier.learned({ carrier });
  if (!learned.ok) return learned;
  const content = await dataIn(shell, file);
  if (!content.ok) return content;
  const { readInvoice } = await import('./read.ts');
  const { idColumn: id, partsColumn: parts, amountColumn, unitPriceColumn: unitPrice, currencyColumn } = given;
  const invoice = readInvoice(content.value, { id, parts, amount: amountColumn, unitPrice, currency: currencyColumn });
  if (invoice.problems.length > 0) return refused(unusable(shell, file, invoice.problems));
  const { idRule, learnedRule } = learned.value;
  const ours = await acceptedParts(shell, { carrier, from, to });
  if (!ours.ok) return ours;
  const differences = ours.value.compare(invoice.billed, {
    rule: idRule === 'auto' ? (learnedRule ?? idRule) : idRule,
    isOurs: ({ submittedAt }) => submittedAt >= from && submittedAt < to,
  });
  const known = await lookedUp(shell, carrier, differences);
  await report(shell, { given, differences: known, lines: invoice.billed, parts: ours.value.size });
  const { length } = differences;
  return length === 0
    ? ok(undefined)
    : refused({ kind: 'refused', detail: `the invoice has ${counted(length, 'difference')}` });
}

interface Period {
  readonly carrier: string;
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * Reads the accepted parts from the CDRs of the period and some days after it, because a record comes when its part
 * ends.
 */
async function acceptedParts(shell: Shell, { carrier, from, to }: Period): Promise<Result<AcceptedParts, Failure>> {
  const parts = new AcceptedParts();
  for await (const page of recordPages(shell, { carrier, from, to: to + endMaxMs })) {
    if (!page.ok) return page;
    for (const each of page.value.items) {
      const accepted = acceptedOf(each);
      if (accepted) parts.add(accepted);
    }
    shell.progress?.(counted(parts.size, 'part'));
    if (parts.size > partsMax)
      return refused(usage(`the carrier accepted more than ${partsMax} parts in this period: compare shorter periods`));
  }
  shell.progress?.('');
  return ok(parts);
}

function acceptedOf(part: Values<typeof cdrFields>): Accepted | undefined {
  const { corrects, carrierMessageId, submittedAt, msgId, numParts, cost, costCurrency } = part;
  if (corrects !== null || carrierMessageId === null || submittedAt === null) return undefined;
  return { msgId, numParts, carrierMessageId, submittedAt, parts: 1, cost, currency: costCurrency };
}

/**
 * Looks up the messages of lines without an accepted part. Such a message has not ended, or belongs to another period.
 */
async function lookedUp(
  shell: Shell,
  carrier: string,
  differences: readonly Difference[],
): Promise<readonly Difference[]> {
  let looks = 0;
  const known: Difference[] = [];
  for (const each of differences) {
    if (each.kind !== 'only-theirs' || looks >= looksMax) known.push(each);
    else {
      looks += 1;
      const found = await gatewayCalls(shell).message.find({ carrier, carrierMessageId: each.id, limit: 1 });
      // The role of the operator may not allow the search.
      known.push({ ...each, msgId: found.ok ? (found.value.items[0]?.msgId ?? null) : null });
    }
  }
  return known;
}

interface Found {
  readonly given: Values<typeof input>;
  readonly differences: readonly Difference[];
  readonly lines: readonly Billed[];
  readonly parts: number;
}

async function report(shell: Shell, { given, differences, lines, parts }: Found): Promise<void> {
  if (given.csv) {
    const lined = differences.map((each) => csvRow(differenceFields, each));
    shell.report({ json: '', text: csvOf([csvHeading(differenceFields), ...lined]) });
    return;
  }
  const json = writeJson({
    lines: lines.length,
    parts,
    differences: differences.map((each) => jsonOf(differenceFields, each)),
  });
  const counts = differenceKinds.map((kind) => `${kind} ${differences.filter((each) => each.kind === kind).length}`);
  const more = differences.length > shownMax ? `\nand ${differences.length - shownMax} more: see --csv` : '';
  const shown = tableOf({ answer: differenceFields }, differences.slice(0, shownMax), {
    hasColour: shell.hasColour,
    whenEmpty: 'the invoice and our records are the same',
  });
  const summary = `${counted(lines.length, 'id')} in the invoice, ${counted(parts, 'id')} in our records: ${counts.join(', ')}`;
  shell.report({ json, text: `${shown}${more}\n${summary}` });
}
