import { fieldNames, notificationKinds, webhookMethods } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { asking, call, reportOf } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Argument, Command, Failure, Input, Option, Report, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import {
  card,
  column,
  listColumn,
  numberColumn,
  paint,
  stateColumn,
  table,
  toRow,
  toRows,
  toTheSecond,
  toWords,
  word,
} from '../table.ts';
import type { Row } from '../table.ts';
import { templateChangeOptions, templateOptions, withTemplate } from './webhook-template.ts';
import { webhookReplay } from './webhook-replay.ts';

export const webhookArgument: Argument = { name: 'webhook', summary: 'its id, as webhook list shows it' };

/** Each with what a new webhook has where nothing is said of it. */
const newOptions: readonly Option[] = [
  { flags: '--method <method>', summary: 'how it is called (post-json)', choices: webhookMethods },
  { flags: '--on <kinds>', summary: `what it is told: some of ${notificationKinds.join(',')} (inbound)` },
  { flags: '--number <number>', summary: 'only messages to this number or short code (all)' },
  { flags: '--prefix <digits>', summary: 'only messages to numbers that begin so (all)' },
  { flags: '--keyword <word>', summary: 'only messages that begin with this word (all)' },
  ...templateOptions,
  { flags: '--concurrency <count>', summary: 'requests under way at once, up to 1000 (64)' },
  {
    flags: '--allow <ranges>',
    summary: 'addresses of your own network that it may lead to: 10.1.0.0/16 (default: "", public addresses alone)',
  },
];

const changeOptions: readonly Option[] = [
  { flags: '--url <url>', summary: 'where its system listens' },
  { flags: '--method <method>', summary: 'how it is called', choices: webhookMethods },
  { flags: '--on <kinds>', summary: `all that it is told: some of ${notificationKinds.join(',')}` },
  { flags: '--number <number>', summary: 'only messages to this number or short code, or any for all' },
  { flags: '--prefix <digits>', summary: 'only messages to numbers that begin so, or any for all' },
  { flags: '--keyword <word>', summary: 'only messages that begin with this word, or any for all' },
  ...templateChangeOptions,
  { flags: '--concurrency <count>', summary: 'requests under way at once, up to 1000' },
  {
    flags: '--allow <ranges>',
    summary: 'all addresses of your own network that it may lead to: 10.1.0.0/16, or "" for public addresses alone',
  },
];

export const webhookCommands: readonly Command[] = [
  {
    words: 'webhook add',
    summary: 'Tell an account what happened at an address of its own; the secret that signs is shown this once',
    arguments: [
      { name: 'account', summary: 'the name of the account' },
      { name: 'url', summary: 'where its system listens, such as https://example.com/sms' },
    ],
    options: newOptions,
    examples: [
      ['webhook add acme https://example.com/sms', 'every message from a phone for acme'],
      ['webhook add acme https://example.com/dlr --on receipt,alert', 'what became of messages, and low balances'],
      ['webhook add acme http://10.1.2.3/sms --keyword win --allow 10.1.0.0/16', 'in your own network, one keyword'],
      [
        'webhook add acme https://example.com/in --method get --field from=sender --field message=text',
        'a receiver that exists already, by its own names',
      ],
    ],
    notes: () => `Fields, of which a notification has those of its kind: ${fieldNames.join(', ')}.`,
    run: async ({ values }, shell) => {
      const fields = await withTemplate(values, shell, false);
      return fields.ok ? tell('addWebhook', fields.value, shell) : fields;
    },
  },
  {
    words: 'webhook set',
    summary: 'Change what is named, and nothing else; what waits for its next try is tried soon',
    arguments: [webhookArgument],
    options: changeOptions,
    examples: [
      ['webhook set 3 --url https://example.com/new', 'the address has changed'],
      ['webhook set 3 --constant key=abc --without token', 'a constant in place of another'],
      ['webhook set 3 --field any', 'all fields, by our names; its constants stay'],
      ['webhook set 3 --constant none', 'no constants; its fields stay'],
    ],
    notes: () => 'To change secrets, see morsel webhook secret --help.',
    run: set,
  },
  {
    words: 'webhook list',
    summary: 'List webhooks, with how it stands with each',
    arguments: [{ name: 'account', summary: 'of this account only', isOptional: true }],
    examples: [['webhook list', 'which wait, which fail']],
    run: asking('webhooks', (value, { hasColour }) =>
      table({ columns, rows: toRows(value), whenEmpty: 'there are no webhooks yet: use webhook add' }, hasColour),
    ),
  },
  {
    words: 'webhook show',
    summary: 'Show one webhook: of its secrets and constants only that they are there',
    arguments: [webhookArgument],
    examples: [['webhook show 3', 'all that is set, and how it does']],
    run: asking('webhook', (value, shell) => {
      warn(value, shell);
      return showWebhook(value, shell);
    }),
  },
  {
    words: 'webhook test',
    summary: 'Send it a made-up event, marked "test": true, and show what it answers',
    arguments: [webhookArgument],
    options: [
      {
        flags: '--kind <kind>',
        summary: 'the kind of the event, one that the webhook gets (default: the first of them)',
        choices: notificationKinds,
      },
    ],
    examples: [
      ['webhook test 3', 'whether it acknowledges an event, and if not why'],
      ['webhook test 3 --kind receipt', 'the same with a delivery receipt'],
    ],
    run: test,
  },
  {
    words: 'webhook pause',
    summary: 'Tell it nothing until it is resumed; what there is to tell waits',
    arguments: [webhookArgument],
    examples: [['webhook pause 3', 'while its system is down']],
    run: asking('pauseWebhook', showStatus),
  },
  {
    words: 'webhook resume',
    summary: 'Tell it what waits, at once',
    arguments: [webhookArgument],
    examples: [['webhook resume 3', 'its system is back']],
    run: asking('resumeWebhook', showStatus),
  },
  {
    words: 'webhook remove',
    summary: 'Remove a webhook; what waits for it is dead letters, which can be replayed to another',
    arguments: [webhookArgument],
    examples: [['webhook remove 3', 'it is told nothing any more']],
    run: asking('removeWebhook', (value) => `webhook ${word(toRow(value), 'id')} is told nothing any more`),
  },
  webhookReplay,
];

const columns = [
  column('ID', 'id'),
  column('ACCOUNT', 'account'),
  stateColumn('STATUS', 'status'),
  listColumn('TELLS', 'on'),
  { title: 'FOR', of: forWhat },
  column('URL', 'url'),
  numberColumn('WAITING', 'waiting'),
  numberColumn('DEAD', 'dead'),
  { title: 'FAILING SINCE', of: (row: Row) => toTheSecond(word(row, 'failingSince')) || '-' },
  { title: 'LAST', of: (row: Row) => word(row, 'lastOutcome') || '-' },
];

function forWhat(row: Row): string {
  const [number, prefix, keyword] = [word(row, 'number'), word(row, 'prefix'), word(row, 'keyword')];
  const parts = [number, prefix === '' ? '' : `${prefix}…`, keyword === '' ? '' : `"${keyword}"`];
  return parts.filter((part) => part !== '').join(' ') || 'all';
}

async function set({ values }: Input, shell: Shell): Promise<Result<Report, Failure>> {
  if (Object.keys(values).length === 1) {
    const flags = changeOptions.map((option) => option.flags.split(' ', 1)[0]).join(', ');
    return refused(usage(`nothing was asked to be changed: give some of ${flags} (see morsel webhook set --help)`));
  }
  const fields = await withTemplate(values, shell, true);
  return fields.ok ? tell('setWebhook', fields.value, shell) : fields;
}

async function tell(
  endpoint: 'addWebhook' | 'setWebhook',
  fields: { readonly [field: string]: unknown },
  shell: Shell,
): Promise<Result<Report, Failure>> {
  const reply = await call(shell, endpoint, fields);
  if (!reply.ok) return reply;
  warn(reply.value.value, shell);
  return ok(reportOf(reply.value, (value) => showWebhook(value, shell)));
}

/** What was done, and yet will not do what was meant. */
function warn(value: unknown, shell: Shell): void {
  if (!shell.isJson) for (const warning of toWords(toRow(value)['warnings'])) shell.warn(warning);
}

function showWebhook(value: unknown, { hasColour }: Shell): string {
  const webhook = toRow(value);
  const list = (member: string) => toWords(webhook[member]).join(', ');
  const secret = word(webhook, 'secret');
  const secrets = toRows(webhook['secrets']).map((row) => word(row, 'id'));
  const failing = word(webhook, 'failingSince');
  return card([
    ['webhook', word(webhook, 'id')],
    ['account', word(webhook, 'account')],
    ['status', paint(word(webhook, 'status'), hasColour)],
    ['url', word(webhook, 'url')],
    ['method', word(webhook, 'method')],
    ['tells', list('on')],
    ['for', forWhat(webhook)],
    ['fields', list('fields') || 'all, by our names'],
    ['constants', list('constants') === '' ? 'none' : `${list('constants')} (their values are not shown)`],
    ['at once', counted(Number(word(webhook, 'concurrency')), 'request')],
    ['may lead to', `public addresses${list('allow') === '' ? '' : `, and ${list('allow')}`}`],
    ['waiting', word(webhook, 'waiting')],
    ['dead letters', word(webhook, 'dead')],
    ['failing since', failing === '' ? '-' : toTheSecond(failing)],
    ['last', `${word(webhook, 'lastOutcome') || '-'} ${toTheSecond(word(webhook, 'lastAt'))}`.trimEnd()],
    [secrets.length === 1 ? 'secret id' : 'secret ids', secrets.join(', ')],
    ...(secret === '' ? [] : [['secret', `${secret}  (shown this once: give it to the client)`] as const]),
  ]);
}

function showStatus(value: unknown): string {
  const webhook = toRow(value);
  return `webhook ${word(webhook, 'id')} is ${word(webhook, 'status')}`;
}

async function test(input: Input, shell: Shell): Promise<Result<Report, Failure>> {
  const reply = await call(shell, 'testWebhook', input.values);
  if (!reply.ok) return reply;
  warn(reply.value.value, shell);
  const trial = toRow(reply.value.value);
  const took = `after ${word(trial, 'tookMs')} ms`;
  const id = word(trial, 'id');
  const sent = `it was sent an event of the kind ${word(trial, 'kind')}`;
  if (word(trial, 'isGood') === 'true') {
    return ok(reportOf(reply.value, () => `webhook ${id} acknowledged: ${word(trial, 'detail')}, ${took}\n${sent}`));
  }
  const hint = hints[word(trial, 'status')] ?? '';
  const detail = `webhook ${id} did not acknowledge: ${word(trial, 'detail')}, ${took}${hint}; ${sent}`;
  return refused({ kind: 'refused', detail });
}

/** What usually is wrong, by status. */
const hints: { readonly [status: string]: string } = {
  '301': ' (set the address that it has moved to)',
  '302': ' (set the address that it leads to)',
  '307': ' (set the address that it leads to)',
  '308': ' (set the address that it has moved to)',
  '400': ' (it does not understand: does it want other names, or another method?)',
  '401': ' (it wants a key: give one with --constant, or have it verify the signature)',
  '403': ' (it lets nobody in, or wants a key)',
  '404': ' (there is nothing at this path)',
  '405': ' (it wants another --method)',
  '415': ' (it wants another --method)',
  '429': ' (it is asked too often: a lower --concurrency may help)',
};
