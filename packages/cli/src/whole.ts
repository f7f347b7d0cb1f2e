import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf, type FieldTable } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { spaced } from '@morsel/api/fields/shown.ts';
import { addedUp, allSteps, worksInSteps } from '@morsel/api/admin/steps.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGateway } from './admin-client.ts';
import type { Failure, Shell } from './command.ts';
import { cardOf } from './show.ts';
import type { Row } from './table.ts';

/* Calls operations, step after step if they work in steps, and prints their answers by their declarations. */

interface WholeAnswer {
  readonly value: Row;
  readonly json: string;
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
    const isPartly = operation.isChange && steps.length > 0;
    const done = isPartly ? ` (until then: ${textOf(operation, sumOf(operation, steps), shell)})` : '';
    return refused({ ...failure, detail: failure.detail + done });
  }
  const value = sumOf(operation, steps);
  const isOne = steps.length === 1 && !worksInSteps(operation);
  return ok({ value, json: isOne ? json : writeJson(jsonOf(shownFields(operation), value)) });
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
