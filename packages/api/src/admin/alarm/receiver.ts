import { accountName, timeZone } from '../account/settings.ts';
import { changes, described, group, optional, orNone, pick } from '../../fields/compose.ts';
import { instant, name, oneOf, place, text, textThat } from '../../fields/fields.ts';
import { page, patch, post, remove, resource } from '../resource.ts';
import { allowedRanges } from '../notification/webhook-settings.ts';
import { severities } from './kinds.ts';

/* Receivers of alarms: the addresses to which the gateway sends alarms, so that a person gets them. */

export const receiverKinds = ['webhook', 'alertmanager', 'email', 'sms', 'heartbeat'] as const;
export type ReceiverKind = (typeof receiverKinds)[number];

const fields = {
  receiver: name({ summary: 'name of the receiver' }),
  kind: oneOf(receiverKinds, {
    summary: 'how it is notified',
    words: {
      webhook: 'A signed request to your website',
      alertmanager: 'The API of Prometheus’ Alertmanager',
      email: 'Mail over SMTP',
      sms: 'A message of one of your accounts',
      heartbeat: 'A URL that is called every minute while the gateway is well, and gets no alarms',
    },
  }),
  to: text({
    label: 'Address',
    summary: 'URL, mail addresses separated by commas, or phone number',
    placeholder: '<address>',
    example: 'night@example.com',
  }),
  server: orNone(
    text({
      label: 'Mail server',
      when: ({ kind }) => kind === 'email',
      summary: 'mail server: smtp://host:port, with STARTTLS if the server has it, or smtps://host:port',
      placeholder: '<url>',
      example: 'smtps://mail.example.com',
    }),
  ),
  user: orNone(
    text({
      label: 'User name',
      when: ({ kind }) => kind === 'email',
      summary: 'user name at the mail server',
      placeholder: '<name>',
    }),
  ),
  sender: orNone(
    text({
      when: ({ kind = '' }) => ['email', 'sms'].includes(kind),
      summary: 'sender of the mail or SMS',
      placeholder: '<sender>',
      example: 'morsel@example.com',
    }),
  ),
  account: orNone(
    described(accountName, {
      when: ({ kind }) => kind === 'sms',
      summary: 'account that sends and pays for the SMS; its routes choose the carrier',
    }),
  ),
  severity: oneOf(severities, { summary: 'least severity that it gets' }),
  quiet: orNone(
    textThat(
      {
        label: 'Quiet hours',
        special: { none: 'no quiet hours' },
        summary: 'time of day in which warnings wait, such as 22:00-07:00; critical alarms do not wait',
      },
      (given) => /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/.test(given),
      { placeholder: '<hours>', wants: 'must be two times of day such as 22:00-07:00', example: '22:00-07:00' },
    ),
  ),
  timeZone: timeZone({ summary: 'time zone of the quiet time' }),
  allow: allowedRanges,
  createdAt: instant({ summary: 'when it was added' }),
};

/** Whether a receiver works, by the result of the last try to notify it. */
export const receiverState = {
  ...pick(fields, 'receiver', 'kind'),
  state: oneOf(['working', 'failing', 'untried'], { summary: 'whether it took what it was sent last' }),
  triedAt: orNone(instant({ summary: 'when it was tried last; null if it was not' })),
  failingSince: orNone(instant({ summary: 'since when it takes nothing; null if it took the last notification' })),
  outcome: orNone(text({ summary: 'what came of the last try', example: 'HTTP 200' })),
};
const answer = { ...fields, ...receiverState };

const outcome = text({ summary: 'what the receiver said', example: 'HTTP 200' });

export const alarmReceiver = resource('alarmReceiver', {
  changes: ['alarm', 'gateway'],
  summary: 'Receivers of alarms: webhooks, Alertmanager, mail and SMS',
  command: 'alarm receiver',
  operations: {
    add: post('/alarm-receivers', {
      repeat: 'same',
      summary:
        'Add a receiver, and try it with a test notification; it is notified when an alarm opens and when it closes',
      label: 'Add a receiver',
      role: 'owner',
      input: {
        ...group('Receiver', {
          ...pick(fields, 'receiver', 'kind', 'to'),
          server: optional(fields.server, null),
          user: optional(fields.user, null),
          sender: optional(fields.sender, null),
          account: optional(fields.account, null),
          secret: optional(
            text({
              summary:
                'secret that signs the webhook (whsec_..., made if you give none), password of the mail server, or bearer token of Alertmanager: the first line of the file',
              placeholder: '<secret>',
              when: ({ kind = '' }) => ['webhook', 'email', 'alertmanager'].includes(kind),
              isSecret: true,
              typed: ['file'],
            }),
          ),
          allow: optional(fields.allow, []),
        }),
        ...group('Which alarms, and when', {
          severity: optional(fields.severity, 'warning'),
          quiet: optional(fields.quiet, null),
          timeZone: optional(fields.timeZone, 'UTC'),
        }),
      },
      answer: {
        ...answer,
        secret: orNone(text({ summary: 'new secret of the webhook; no later answer shows it again', isSecret: true })),
      },
      command: {
        arguments: ['receiver'],
        examples: {
          'alarm receiver add night --kind email --to night@example.com --server smtps://mail.example.com --user morsel --secret-file password --sender morsel@example.com':
            'send a mail for each alarm',
          'alarm receiver add hook --kind webhook --to https://example.com/alarms': 'call a website, signed',
          'alarm receiver add am --kind alertmanager --to http://127.0.0.1:9093 --allow 127.0.0.1':
            'give alarms to Alertmanager on this machine',
          'alarm receiver add phone --kind sms --to +41791112233 --account ops --sender Morsel --severity critical':
            'send an SMS for critical alarms',
          'alarm receiver add dead-man --kind heartbeat --to https://hc-ping.com/2f0a':
            'call this URL every minute while the gateway is well',
        },
        says: ({ receiver, state, outcome: said, secret }) =>
          [
            state === 'working'
              ? `receiver ${receiver} is added and took the test notification: ${said}`
              : `receiver ${receiver} is added, but did not take the test notification: ${said}. ${secret === null ? 'Mend it' : 'Mend it, or give it the secret'}, then run morsel alarm receiver test ${receiver}`,
            ...(secret === null ? [] : [`its secret is shown only this once:\n${secret}`]),
          ].join('\n'),
      },
    }),
    set: patch('/alarm-receivers/{receiver}', {
      summary: 'Change which alarms a receiver is notified of, and when',
      role: 'owner',
      input: { receiver: fields.receiver, ...changes(pick(fields, 'severity', 'quiet', 'timeZone', 'allow')) },
      answer,
      command: {
        arguments: ['receiver'],
        examples: {
          'alarm receiver set night --quiet 22:00-07:00': 'let warnings wait until the morning',
          'alarm receiver set night --quiet none --severity critical': 'send no warnings, at any time',
        },
        says: ({ receiver, severity, quiet }) =>
          `receiver ${receiver} is notified of ${severity === 'critical' ? 'critical alarms' : 'all alarms'}${
            quiet === null ? '' : `; warnings wait from ${quiet.replace('-', ' to ')}`
          }`,
      },
    }),
    list: page('/alarm-receivers', {
      summary: 'List the receivers of alarms',
      label: 'Receivers of alarms',
      input: {},
      after: place(/^[^\s/]{1,64}$/),
      answer,
      columns: ['receiver', 'kind', 'to', 'severity', 'state', 'failingSince', 'outcome', 'quiet', 'timeZone'],
      command: {
        examples: { 'alarm receiver list': 'show the receivers of alarms' },
        whenEmpty: 'no receiver is notified of alarms: see alarm receiver add --help',
      },
    }),
    test: post('/alarm-receivers/{receiver}/test', {
      repeat: 'key',
      summary: 'Send a test alarm to a receiver now, and show what it said',
      input: pick(fields, 'receiver'),
      answer: { receiver: fields.receiver, outcome },
      command: {
        arguments: ['receiver'],
        examples: { 'alarm receiver test night': 'see whether a mail arrives; exit status 1 if it was not taken' },
        says: ({ receiver, outcome: said }) => `${receiver} took the test alarm: ${said}`,
      },
    }),
    remove: remove('/alarm-receivers/{receiver}', {
      summary: 'Remove a receiver',
      warning: 'This receiver is no longer notified of alarms.',
      role: 'owner',
      input: pick(fields, 'receiver'),
      answer: pick(fields, 'receiver'),
      command: {
        arguments: ['receiver'],
        examples: { 'alarm receiver remove night': 'send no more mails' },
        says: ({ receiver }) => `receiver ${receiver} is removed`,
      },
    }),
  },
});
