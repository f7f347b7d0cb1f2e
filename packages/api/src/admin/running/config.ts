import { list, optional, orNone, rows } from '../../fields/compose.ts';
import { count, flag, instant, oneOf, text } from '../../fields/fields.ts';
import { get, post, resource } from '../resource.ts';

/*
 * The operator's settings as one document: carriers, accounts, routes, numbers, keywords and webhooks. It is JSON in a
 * text, because its members are the fields of other resources.
 */

const document = { example: '{"carriers":[{"name":"alpha","window":20}]}', placeholder: '<json>' };

const version = text({
  summary: 'version of the settings; an apply with another version is refused',
  example: '3-0f1e2d3c4b5a6978',
});

const change = {
  field: text({ summary: 'name of the setting', example: 'window' }),
  before: orNone(text({ summary: 'value before; null if there was none', label: 'From' })),
  after: orNone(text({ summary: 'value after; null if there is none', label: 'To' })),
};

const step = {
  action: oneOf(['add', 'change', 'remove'], { summary: 'what happens' }),
  what: text({ summary: 'object of the step', example: 'carrier alpha' }),
  changes: rows(change, { summary: 'settings that the step sets' }),
};

export const planFields = {
  version,
  steps: rows(step, { summary: 'steps, in their order' }),
  kept: list(text({ summary: 'an object' }), {
    summary: 'objects that are not in the document, and that stay because `prune` is not given',
  }),
};

export const applyAnswer = {
  ...planFields,
  secrets: rows(
    {
      what: text({ summary: 'new webhook', example: 'webhook acme https://example.com/sms' }),
      secret: text({ summary: 'its signing secret; no later answer shows it again', isSecret: true }),
    },
    { summary: 'secrets that the gateway made' },
  ),
};

export const configInput = {
  config: text({ ...document, summary: 'document with the wanted settings, as JSON', isSecret: true }),
  prune: optional(
    flag({
      label: 'Remove what is missing',
      summary: 'remove what is not in the document, of each kind that the document has',
    }),
    false,
  ),
};

export const config = resource('config', {
  changes: 'all',
  summary: 'The settings as a file: export it, see what it would change, and apply it',
  operations: {
    show: get('/config', {
      summary: 'Show the settings as one document, without secrets',
      label: 'Settings as a file',
      role: 'owner',
      input: {},
      answer: { version, config: text({ ...document, summary: 'document with the settings, as JSON' }) },
    }),
    plan: post('/config/plan', {
      summary: 'Show what an apply of a document would change; nothing is changed',
      role: 'owner',
      isChange: false,
      input: configInput,
      answer: planFields,
    }),
    apply: post('/config/apply', {
      repeat: 'same',
      summary: 'Apply a document in one commit: all of its changes are made, or none',
      role: 'owner',
      input: { ...configInput, version },
      answer: applyAnswer,
    }),
    previous: get('/config/previous', {
      summary: 'Show the settings as they were before the newest apply',
      role: 'owner',
      input: {},
      answer: {
        number: count({ summary: 'number of the newest apply' }),
        appliedAt: instant({ summary: 'when it was applied' }),
        appliedBy: text({ summary: 'operator who applied it', example: 'anna' }),
        config: text({ ...document, summary: 'document with the settings before it, as JSON' }),
      },
    }),
  },
});
