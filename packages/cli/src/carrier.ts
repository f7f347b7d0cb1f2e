import { presets, profileOf, profileTexts } from '@morsel/gateway/core/routing/carrier-profile.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import { carrierCostCommand } from './carrier-cost.ts';
import { carrierTestCommand } from './carrier-test.ts';
import { carrierChangeOptions, fieldsOf, newCarrierOptions } from './carrier-options.ts';
import { profileSettings } from './carrier-settings.ts';
import { linkTable } from './link-table.ts';
import { usage } from './command.ts';
import type { Argument, Command, Shell } from './command.ts';
import { card, column, numberColumn, paint, stateColumn, table, toRow, toRows, toTheSecond, word } from './table.ts';
import type { Row } from './table.ts';

const name: Argument = { name: 'carrier', summary: 'the name of the carrier' };

export const carrierCommands: readonly Command[] = [
  {
    words: 'carrier add',
    summary: 'Make a carrier; its links connect at once',
    arguments: [{ name: 'name', summary: 'what it is called: letters, digits, dots, hyphens and underscores' }],
    options: newCarrierOptions,
    examples: [
      [
        'carrier add alpha --host smsc.example.net --port 2775 --system-id us --password-file ./alpha.password',
        'with the password from a file',
      ],
      [
        'carrier add beta --host 10.0.0.7 --port 2775 --system-id us --password-stdin --window 50 --throughput 100 --links 2 < beta.password',
        'two links of at most 100 messages a second',
      ],
    ],
    run: async (input, shell) => {
      const fields = await fieldsOf(input, shell);
      if (!fields.ok) return fields;
      if (fields.value['password'] === undefined) {
        return refused(
          usage('name one of --password, --password-file and --password-stdin; --password "" where there is none'),
        );
      }
      const reply = await call(shell, 'addCarrier', fields.value);
      return reply.ok ? ok(reportOf(reply.value, (value) => showCarrier(value, shell))) : reply;
    },
  },
  {
    words: 'carrier list',
    summary: 'List all carriers',
    examples: [['carrier list', 'every carrier, its links, and what waits for it']],
    run: asking('carriers', (value, { hasColour }) =>
      table(
        { columns, rows: toRows(value), whenEmpty: 'there are no carriers yet: make one with carrier add' },
        hasColour,
      ),
    ),
  },
  {
    words: 'carrier show',
    summary: 'Show one carrier and its links',
    arguments: [name],
    examples: [['carrier show alpha', 'whether its links are bound, and if not, why']],
    run: asking('carrier', showCarrier),
  },
  {
    words: 'carrier set',
    summary: 'Change a carrier; links go by it at once, and bind anew where they have to, without losing a message',
    arguments: [name],
    options: carrierChangeOptions,
    examples: [
      ['carrier set alpha --throughput 50 --id-rule hex-answer', 'two settings; the others stay'],
      ['carrier set alpha --preset latin1 --number-form plus', 'its whole profile anew'],
    ],
    run: async (input, shell) => {
      const fields = await fieldsOf(input, shell);
      if (!fields.ok) return fields;
      const reply = await call(shell, 'setCarrier', fields.value);
      return reply.ok ? ok(reportOf(reply.value, (value) => showCarrier(value, shell))) : reply;
    },
  },
  carrierTestCommand,
  carrierCostCommand,
  {
    words: 'carrier presets',
    summary: 'List the profiles that a carrier may begin with',
    examples: [['carrier presets', 'each with what it sets']],
    run: async (_input, { hasColour }) => {
      const rows = Object.entries(presets).map(([preset, { summary }]) => ({
        name: preset,
        summary,
        settings: profileSettings(profileTexts(profileOf(preset))).join(' '),
      }));
      const text = table({ columns: presetColumns, rows, whenEmpty: 'there are none' }, hasColour);
      return ok({ json: JSON.stringify(rows), text });
    },
  },
  {
    words: 'carrier pause',
    summary: 'Send nothing more through a carrier; its links stay bound, for receipts',
    arguments: [name],
    examples: [['carrier pause alpha', 'its messages wait']],
    run: asking('pauseCarrier', showStatus),
  },
  {
    words: 'carrier resume',
    summary: 'Send through it again; a drained one binds',
    arguments: [name],
    examples: [['carrier resume alpha', 'what waits goes out']],
    run: asking('resumeCarrier', showStatus),
  },
  {
    words: 'carrier drain',
    summary: 'Send nothing more, wait for the answers, and unbind until it is resumed',
    arguments: [name],
    examples: [['carrier drain alpha', 'before work at the carrier; it stays down over restarts, too']],
    run: asking('drainCarrier', showCarrier),
  },
  {
    words: 'carrier rebind',
    summary: 'Drain the links and bind them again, one after the other',
    arguments: [name],
    options: [{ flags: '--link <number>', summary: 'only this one (all)' }],
    examples: [
      ['carrier rebind alpha', 'all its links, none at the same time as another'],
      ['carrier rebind alpha --link 2', 'one of them; one that waits connects now'],
    ],
    run: asking('rebindCarrier', showCarrier),
  },
  {
    words: 'carrier remove',
    summary: 'Remove a carrier that has no route and no message any more',
    arguments: [name],
    examples: [['carrier remove alpha', 'its links end']],
    run: asking('removeCarrier', (value) => `carrier ${word(toRow(value), 'carrier')} is removed`),
  },
];

const columns = [
  column('NAME', 'name'),
  stateColumn('STATUS', 'status'),
  { title: 'ADDRESS', of: addressOf },
  { title: 'BOUND', of: boundOf, isNumber: true },
  numberColumn('WINDOW', 'window'),
  { title: 'A SECOND', of: throughputOf, isNumber: true },
  numberColumn('WAITING', 'waiting'),
  numberColumn('IN DOUBT', 'inDoubtParts'),
];

const presetColumns = [column('NAME', 'name'), column('SETS', 'settings'), column('WHAT FOR', 'summary')];

function showCarrier(value: unknown, { hasColour }: Shell): string {
  const carrier = toRow(value);
  const settingsCard = card([
    ['name', word(carrier, 'name')],
    ['status', paint(word(carrier, 'status'), hasColour)],
    ['address', addressOf(carrier)],
    ['system_id', word(carrier, 'systemId')],
    ['system_type', word(carrier, 'systemType')],
    ['window', word(carrier, 'window')],
    ['a second', throughputOf(carrier)],
    ['in doubt', word(carrier, 'inDoubt')],
    ['id rule', idRuleOf(carrier)],
    [
      'cost list',
      word(carrier, 'costList') === '' ? 'none' : `${word(carrier, 'costList')}, in ${word(carrier, 'costCurrency')}`,
    ],
    ['receipts unmatched', `${word(carrier, 'unmatchedReceipts')}, ${word(carrier, 'droppedReceipts')} given up`],
    ['profile', profileSettings(toRow(carrier['profile'])).join(' ') || 'standard'],
    ['parts waiting', word(carrier, 'waiting')],
    ['parts in doubt', word(carrier, 'inDoubtParts')],
    ['made', toTheSecond(word(carrier, 'createdAt'))],
  ]);
  return `${settingsCard}\n\n${linkTable(toRows(carrier['linkStates']), { hasColour, now: Date.now() })}`;
}

function idRuleOf(carrier: Row): string {
  const rule = word(carrier, 'idRule');
  return rule === 'auto' ? `auto: ${word(carrier, 'learnedRule') || 'not learned yet'}` : rule;
}

function addressOf(carrier: Row): string {
  return hostAndPort(word(carrier, 'host'), Number(word(carrier, 'port')));
}

function boundOf(carrier: Row): string {
  const bound = toRows(carrier['linkStates']).filter((link) => ['bound', 'throttled'].includes(word(link, 'state')));
  return `${bound.length}/${word(carrier, 'links')}`;
}

function throughputOf(carrier: Row): string {
  const throughput = word(carrier, 'throughput');
  return throughput === '0' ? 'no limit' : throughput;
}

function showStatus(value: unknown): string {
  const carrier = toRow(value);
  return `carrier ${word(carrier, 'name')} is ${word(carrier, 'status')}`;
}
