import { printable } from '@morsel/api/admin/shown.ts';
import { candidateFields, consideredFields, route, routeFields } from '@morsel/api/admin/routing/route.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { text } from '@morsel/api/admin/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { commandsOf } from '../bind.ts';
import type { Command, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { tableOf, type Shown } from '../show.ts';
import { card } from '../table.ts';

/* The commands of routes, with the tables of a change and of an explanation. */

export const routeCommands: readonly Command[] = commandsOf(route, {
  set: { says: showChange },
  explain: { says: showExplanation },
});

type Shows = Pick<Shell, 'hasColour'>;

const change = {
  answer: { when: text({ summary: 'whether the settings are from before or after the change' }), ...routeFields },
};

function showChange({ before, after, moved }: AnswerOf<typeof route.operations.set>, { hasColour }: Shows): string {
  const rows = [...before.map((row) => ({ when: 'before', ...row })), ...after.map((row) => ({ when: 'now', ...row }))];
  const followed =
    moved === 0 ? '' : `\n\n${counted(moved, 'waiting message follows', 'waiting messages follow')} the changed route`;
  return `${tableOf(change, rows, { hasColour, whenEmpty: '' })}${followed}`;
}

function showExplanation(
  { refusal, unitPrice, routes, carriers, ...explained }: AnswerOf<typeof route.operations.explain>,
  { hasColour }: Shows,
): string {
  const price = unitPrice === null ? '' : `${formatMicros(unitPrice)} ${explained.currency} a part`;
  const about = card([
    ['account', explained.account],
    ['receiver', explained.receiver],
    ['sender', printable(explained.sender ?? '(not given)')],
    ['encoding', `${explained.encoding}, ${counted(explained.numParts, 'part')}`],
    ...(refusal === null
      ? ([
          ['price', price],
          [
            'goes through',
            explained.chosen ?? 'no carrier can take the message now: it waits for the first carrier that can',
          ],
        ] as const)
      : ([['refused', printable(refusal.detail)]] as const)),
  ]);
  const whenEmpty = 'no route has a prefix of this number';
  const tables = [tableOf({ answer: consideredFields }, routes, { hasColour, whenEmpty })];
  if (carriers.length > 0) tables.push(tableOf(candidates, carriers, { hasColour, whenEmpty }));
  return [about, ...tables].join('\n\n');
}

const candidates: Shown<typeof candidateFields> = {
  answer: candidateFields,
  columns: [
    'carrier',
    'rank',
    'weight',
    'after',
    {
      title: 'COST',
      of: ({ cost, costCurrency }) => (cost === null ? 'unknown' : `${formatMicros(cost)} ${costCurrency}`),
      isNumber: true,
    },
    { title: 'MARGIN', of: marginText, isNumber: true },
    'why',
  ],
};

/**
 * The margin of a carrier. The margin is unknown if cost and price have different currencies, because there are no
 * exchange
 * rates.
 */
function marginText({ cost, margin }: Values<typeof candidateFields>): string {
  if (margin !== null) return formatMicros(margin);
  return cost === null ? 'unknown' : 'other currency';
}
