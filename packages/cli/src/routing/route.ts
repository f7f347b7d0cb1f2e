import { candidateFields, consideredFields, route, routeFields } from '@morsel/api/admin/routing/route.ts';
import type { Values } from '@morsel/api/admin/field.ts';
import { text } from '@morsel/api/admin/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { formatMicros } from '@morsel/api/values/money.ts';
import { commandsOf } from '../bind.ts';
import type { Command, Shell } from '../command.ts';
import { tableOf } from '../show.ts';
import type { Shown } from '../show.ts';
import { card, printable } from '../table.ts';

/* The commands of routes that the declaration does not cover: the tables of a change and of an explanation. */

export const routeCommands: readonly Command[] = commandsOf(route, {
  set: { says: showChange },
  explain: { says: showExplanation },
});

type Shows = Pick<Shell, 'hasColour'>;

const change = { answer: { when: text({ summary: 'before the change, or now' }), ...routeFields } };

function showChange({ before, after, moved }: AnswerOf<typeof route.operations.set>, { hasColour }: Shows): string {
  const rows = [...before.map((row) => ({ when: 'before', ...row })), ...after.map((row) => ({ when: 'now', ...row }))];
  const followed = moved === 0 ? '' : `\n\n${moved} waiting message(s) changed place with it`;
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
    ['encoding', `${explained.encoding}, ${explained.numParts} part(s)`],
    ...(refusal === null
      ? ([
          ['price', price],
          ['goes through', explained.chosen ?? 'waits for the first carrier that can take it'],
        ] as const)
      : ([['refused', printable(refusal.detail)]] as const)),
  ]);
  const whenEmpty = 'no route begins like this number';
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

/** There are no exchange rates: a cost in another currency than the price has no margin. */
function marginText({ cost, margin }: Values<typeof candidateFields>): string {
  if (margin !== null) return formatMicros(margin);
  return cost === null ? 'unknown' : 'other currency';
}
