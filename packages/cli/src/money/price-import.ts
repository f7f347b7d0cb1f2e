import { price } from '@morsel/api/admin/money/price.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { askGateway, gatewayPlace } from '../admin-client.ts';
import type { Typed } from '../bind.ts';
import type { Failure, Input, Report, Shell } from '../command.ts';
import { dryRunText } from '../confirm.ts';
import { counted } from '@morsel/api/fields/shown.ts';
import { dataIn, unusable } from '../files/data-file.ts';
import { countsLine, differencesTable, timeText } from './price-diff.ts';

/* The command `price import`. It uploads a file, and shows which prices the file changes. */

const operation = price.operations.import;
type Answer = AnswerOf<typeof operation>;

export const importOptions = [{ flags: '--yes', summary: 'change the list; without --yes, only a preview is shown' }];

export async function importPrices(
  given: Typed & GivenOf<typeof operation>,
  shell: Shell,
  { flags }: Input,
): Promise<Result<Report, Failure>> {
  const { file: name, mapping } = given;
  const place = gatewayPlace(shell);
  if (!place.ok) return place;
  const file = await dataIn(shell, name);
  if (!file.ok) return file;
  const networks = mapping === undefined ? ok(undefined) : await dataIn(shell, mapping);
  if (!networks.ok) return networks;
  const isPreview = !flags.has('yes') || flags.has('dryRun');
  const upload = { ...given, file: file.value, mapping: networks.value, dryRun: String(isPreview) };
  const answer = await askGateway(shell, operation, upload);
  if (!answer.ok) return refused(placed(shell, answer.error, { file: name, mapping }));
  const { value, text: json } = answer.value;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
  const lines = reportLines(name, value as Answer, { isDryRun: flags.has('dryRun'), shell });
  return ok({ json, text: lines.join('\n') });
}

/** The problems of a file, with their lines in the file that was named. */
function placed(
  shell: Shell,
  failure: Failure,
  names: { readonly file: string; readonly mapping: string | undefined },
) {
  const { faults, field }: { readonly faults?: unknown; readonly field?: unknown } =
    failure.problem === undefined ? {} : { ...Object(JSON.parse(failure.problem)) };
  if (!Array.isArray(faults)) return failure;
  const problems = faults.map((each: { readonly field: string; readonly detail: string }) => {
    const [, place, number] = /(line|item) (\d+)$/.exec(each.field) ?? [];
    const detail = place === 'item' ? `item ${number}: ${each.detail}` : each.detail;
    return { line: place === 'item' ? 1 : Number(number), detail };
  });
  return unusable(shell, field === 'mapping' ? (names.mapping ?? '') : names.file, problems);
}

function reportLines(
  file: string,
  answer: Answer,
  { isDryRun, shell }: { readonly isDryRun: boolean; readonly shell: Shell },
): readonly string[] {
  const { list, currency, from, threshold, over, overThreshold, differences } = answer;
  const against = answer.isNew ? `price list ${list}, which is new` : `version ${from} of price list ${list}`;
  const changes = answer.new + answer.up + answer.down + answer.removed;
  const overLine = `by more than ${formatMicros(threshold)} %: ${over}`;
  return [
    `${file}: ${counted(answer.prices, 'price')} in ${currency} (${answer.format}), against ${against}`,
    countsLine(answer),
    ...answer.leftOut.map(({ why, rows, first }) => `left out: ${counted(rows, 'row')} (first in ${first}): ${why}`),
    ...(changes > 0 ? [differencesTable(differences, changes, shell)] : []),
    ...(over > 0 ? [overLine, differencesTable(overThreshold, over, shell)] : []),
    endLine(answer, { changes, isDryRun }),
  ];
}

function endLine(
  { list, heldBack, applied }: Answer,
  { changes, isDryRun }: { readonly changes: number; readonly isDryRun: boolean },
): string {
  if (applied)
    return `version ${applied.version} of price list ${list} takes effect at ${timeText(applied.effectiveAt)}`;
  if (changes === 0) return 'no price differs: no new version is made';
  if (heldBack !== null) return `this would be refused even with --yes: ${heldBack}`;
  return isDryRun ? dryRunText : 'nothing was changed; repeat the command with --yes to make the change';
}
