import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { spaced } from '@morsel/api/fields/shown.ts';
import { addedUp, allSteps, worksInSteps } from '@morsel/api/admin/steps.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGateway } from './admin-client.ts';
import type { Failure, Input, Report, Shell } from './command.ts';
import { confirmed, dryRunText } from './confirm.ts';
import { cardOf } from './show.ts';
import type { Row } from './table.ts';

/* Calls operations, step after step if they work in steps, and prints their answers by their declarations. */

interface WholeAnswer {
  readonly value: Row;
  readonly json: string;
  /** The end of the period that all steps read, if they have one. */
  readonly until?: unknown;
}

/** Calls all steps of an operation. If a step fails, the changes of earlier steps stay, and the error says so. */
export async function askWhole(
  operation: Operation,
  given: Row,
  shell: Shell,
  before: readonly Row[] = [],
): Promise<Result<WholeAnswer, Failure>> {
  const steps = [...before];
  let json = '';
  let failure: Failure | undefined;
  for (const part of partsOf(operation, given)) {
    if (failure) break;
    ({ failure } = await allSteps(operation, async (place): Promise<Result<Row, Failure>> => {
      const answer = await askGateway(shell, operation, { ...part, ...place });
      if (!answer.ok) return answer;
      json = answer.value.text;
      steps.push({ ...Object(answer.value.value) });
      if (worksInSteps(operation)) shell.progress?.(progressOf(operation, steps));
      return ok({ ...Object(answer.value.value) });
    }));
  }
  if (worksInSteps(operation)) shell.progress?.('');
  if (failure) {
    const isPartly = operation.isChange && given['dryRun'] === undefined && steps.length > 0;
    const done = isPartly ? ` (until then: ${textOf(operation, sumOf(operation, steps), shell)})` : '';
    return refused({ ...failure, detail: failure.detail + done });
  }
  const value = sumOf(operation, steps);
  const until = steps[0]?.['until'];
  const isOne = steps.length === 1 && !worksInSteps(operation);
  return ok({ value, json: isOne ? json : writeJson(jsonOf(shownFields(operation), value)), until });
}

/** Splits a list that has more items than one request takes. */
function partsOf({ input, command }: Operation, given: Row): readonly Row[] {
  const name = command?.splits ?? '';
  const value = given[name];
  const items: readonly unknown[] = typeof value === 'string' ? value.split('\n') : Array.isArray(value) ? value : [];
  const max = Number(input[name]?.schema['maxItems']);
  if (items.length <= max || command?.splits === undefined) return [given];
  const begins = Array.from({ length: Math.ceil(items.length / max) }, (_, at) => at * max);
  return begins.map((begin) => ({ ...given, [name]: items.slice(begin, begin + max) }));
}

/** The progress: the first count of the steps so far, such as `520 messages`. */
function progressOf(operation: Operation, steps: readonly Row[]): string {
  const [name, count] = Object.entries(addedUp(operation, steps)).find(([, value]) => typeof value === 'number') ?? [];
  return name === undefined ? '' : `${String(count)} ${spaced(name)}`;
}

function sumOf(operation: Operation, steps: readonly Row[]): Row {
  const sum = addedUp(operation, steps);
  return operation.command?.whole?.of(sum, steps) ?? sum;
}

/** Fields of the whole answer, without the fields of a single step. */
function shownFields(operation: Operation): FieldTable {
  const { answer, command } = operation;
  if (command?.whole) return command.whole.answer;
  if (!worksInSteps(operation)) return answer;
  const { next: _next, until: _until, ...fields } = answer;
  return fields;
}

export function textOf(operation: Operation, value: Row, shell: Pick<Shell, 'hasColour'>): string {
  const { command, columns } = operation;
  const said = command?.whole?.says?.(value) ?? command?.says?.(value);
  if (said !== undefined) return said;
  return cardOf(worksInSteps(operation) ? { answer: shownFields(operation) } : { ...operation, columns }, value, shell);
}

/** The row without empty lists, such as the refunds of a change without one. */
function withoutEmpty(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

/** Counts, asks for confirmation, and then changes the rows that were there when it counted. */
export async function countAndRun(
  operation: Operation,
  counts: NonNullable<NonNullable<Operation['command']>['counts']>,
  {
    given,
    input,
    shell,
  }: { readonly given: { readonly [field: string]: string }; readonly input: Input; readonly shell: Shell },
): Promise<Result<Report, Failure>> {
  const counting = await askWhole(operation, { ...given, dryRun: 'true' }, shell);
  if (!counting.ok) return counting;
  const { value, until } = counting.value;
  const reportOf = (text: string, sum: Row, applied: boolean) =>
    ok({ text, json: writeJson({ ...jsonOf(shownFields(operation), withoutEmpty(sum)), applied }) });
  const found = counts.found(value);
  if (found === undefined) return reportOf(counts.none, value, false);
  if (input.flags.has('dryRun')) return reportOf(`${found}: ${dryRunText}`, value, false);
  const question = counts.asks(found, given);
  const meant = question === undefined ? ok(undefined) : await confirmed(input, shell, { sentence: found, question });
  if (!meant.ok) return meant;
  const done = await askWhole(operation, { ...given, ...(until !== undefined && { until }) }, shell);
  if (!done.ok) return done;
  // A later step may find a changed row again, so the answer has the counts from before the change.
  const { messages, parts } = value;
  const sum = { ...done.value.value, messages, parts };
  return reportOf(textOf(operation, sum, shell), sum, true);
}
