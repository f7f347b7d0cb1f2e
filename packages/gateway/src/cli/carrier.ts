import { readFile } from 'node:fs/promises';
import { idRules, inDoubtPolicies } from '../core/carrier.ts';
import { hostAndPort } from '../core/host.ts';
import { ok, refused } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import { asking, call, reportOf } from './admin-client.ts';
import { usage } from './command.ts';
import type { Argument, Command, Failure, Input, Option, Shell } from './command.ts';
import {
  card,
  column,
  numberColumn,
  paint,
  stateColumn,
  table,
  timeColumn,
  toRow,
  toRows,
  toTheSecond,
  word,
} from './table.ts';
import type { Row } from './table.ts';

const name: Argument = { name: 'carrier', summary: 'the name of the carrier' };

const settings: readonly Option[] = [
  { flags: '--host <host>', summary: 'where its SMSC listens', isRequired: true },
  { flags: '--port <port>', summary: 'and on which port', isRequired: true },
  { flags: '--system-id <id>', summary: 'who we are there', isRequired: true },
  { flags: '--password <password>', summary: 'our password there; others on this machine may see it go by' },
  { flags: '--password-file <file>', summary: 'a file that holds the password in its first line' },
  { flags: '--password-stdin', summary: 'read the password from standard input' },
  { flags: '--system-type <type>', summary: 'what some carriers ask for (empty)' },
  { flags: '--window <count>', summary: 'requests a link may have in flight (10)' },
  { flags: '--throughput <count>', summary: 'messages a second a link, 0 for no limit (0)' },
  { flags: '--links <count>', summary: 'how many links at once (1)' },
  {
    flags: '--in-doubt <policy>',
    summary: 'what becomes of a part whose answer never came (resend)',
    choices: inDoubtPolicies,
  },
  {
    flags: '--id-rule <rule>',
    summary: 'how ids in answers and receipts compare: the same, or hexadecimal in one of them (same)',
    choices: idRules,
  },
];

export const carrierCommands: readonly Command[] = [
  {
    words: 'carrier add',
    summary: 'Make a carrier; its links connect at once',
    arguments: [{ name: 'name', summary: 'what it is called: letters, digits, dots, hyphens and underscores' }],
    options: settings,
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
      const password = await passwordOf(input, shell);
      if (!password.ok) return password;
      const { passwordFile: _file, ...fields } = input.values;
      const reply = await call(shell, 'addCarrier', { ...fields, password: password.value });
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
    words: 'carrier pause',
    summary: 'Send nothing more through a carrier; receipts still come',
    arguments: [name],
    examples: [['carrier pause alpha', 'its messages wait']],
    run: asking('pauseCarrier', showStatus),
  },
  {
    words: 'carrier resume',
    summary: 'Send through it again',
    arguments: [name],
    examples: [['carrier resume alpha', 'what waits goes out']],
    run: asking('resumeCarrier', showStatus),
  },
  {
    words: 'carrier remove',
    summary: 'Remove a carrier that has no route and no message any more',
    arguments: [name],
    examples: [['carrier remove alpha', 'its links end']],
    run: asking('removeCarrier', (value) => `carrier ${word(toRow(value), 'carrier')} is removed`),
  },
];

/** Longer is no password, but a wrong file. */
const passwordFileMax = 4_096;

/** The password, from the one place that was named. */
async function passwordOf({ values, flags }: Input, shell: Shell): Promise<Result<string, Failure>> {
  const { password, passwordFile } = values;
  const isPiped = flags.has('passwordStdin');
  const places = Number(password !== undefined) + Number(passwordFile !== undefined) + Number(isPiped);
  if (places !== 1) return refused(usage('name one of --password, --password-file and --password-stdin'));
  if (password !== undefined) return ok(password);
  const text = passwordFile === undefined ? ok(await shell.readInput()) : await contentOf(passwordFile);
  return text.ok ? ok(text.value.split(/\r?\n/, 1)[0] ?? '') : text;
}

async function contentOf(file: string): Promise<Result<string, Failure>> {
  try {
    const text = await readFile(file, 'utf8');
    return text.length > passwordFileMax ? refused(usage(`${file} is too long to hold a password`)) : ok(text);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    return refused(usage(`the password file ${file} cannot be read: ${code}`));
  }
}

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

const linkColumns = [
  numberColumn('LINK', 'link'),
  stateColumn('STATE', 'state'),
  timeColumn('SINCE', 'since'),
  { title: 'IN FLIGHT', of: (link: Row) => `${word(link, 'windowUsed')}/${word(link, 'windowMax')}`, isNumber: true },
  numberColumn('THROTTLES', 'throttles'),
  numberColumn('RECONNECTS', 'reconnects'),
  column('LAST ERROR', 'lastError'),
];

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
    ['id rule', word(carrier, 'idRule')],
    ['parts waiting', word(carrier, 'waiting')],
    ['parts in doubt', word(carrier, 'inDoubtParts')],
    ['made', toTheSecond(word(carrier, 'createdAt'))],
  ]);
  return `${settingsCard}\n\n${table({ columns: linkColumns, rows: toRows(carrier['linkStates']), whenEmpty: 'no link runs' }, hasColour)}`;
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
