import { optional, orNone, pick, rows } from '../../fields/compose.ts';
import type { Values } from '../../fields/field.ts';
import { count, instant, name, oneOf, place, sentence, text, textThat } from '../../fields/fields.ts';
import { get, page, resource, whole } from '../resource.ts';
import { counted } from '../../fields/shown.ts';
import { roles } from './role.ts';

/* The audit log: what operators did, and the check that nobody changed it afterwards. */

const entryForm = /^\d{1,4}-\d{1,15}$/;

export const auditFields = {
  entry: textThat(
    { summary: 'id of the entry: the number of the node, and the number of the entry at this node' },
    (given) => entryForm.test(given),
    {
      placeholder: '<entry>',
      wants: 'must be the id of an entry, such as 0-17: audit list shows it',
      schema: { pattern: entryForm.source },
      example: '0-17',
    },
  ),
  at: instant({ summary: 'when the operator made the request' }),
  operator: sentence({
    max: 64,
    summary: 'operator, or user of the machine with the key of the data directory',
    placeholder: '<name>',
    example: 'jane',
  }),
  role: oneOf(roles, { summary: 'role of the operator' }),
  key: text({
    summary: 'id of the operator key; built-in for the key of the data directory, or sign-in-link',
    example: '4be5ff51d5fb',
  }),
  address: text({ summary: 'IP address of the request', example: '192.0.2.7' }),
  requestId: text({ summary: 'id of the request, as in the log of the gateway' }),
  operation: textThat(
    { summary: 'resource and operation, such as account.set' },
    (given) => /^[A-Za-z]{1,32}\.[A-Za-z]{1,32}$/.test(given),
    {
      placeholder: '<operation>',
      wants: 'must be a resource and an operation, such as account.set',
      example: 'account.set',
    },
  ),
  account: orNone(name({ summary: 'account that the change is about', example: 'acme' })),
  carrier: orNone(name({ summary: 'carrier that the change is about', example: 'alpha' })),
  reason: orNone(text({ summary: 'reason that the operator gave', example: 'contract of May' })),
  given: text({
    label: 'Request',
    summary: 'fields of the request, as JSON; without secrets and texts, numbers with most digits hidden',
    isJson: true,
  }),
  changes: text({
    summary: 'rows before and after the change, as JSON; more than 20 rows of a table are counted',
    isJson: true,
  }),
  hash: text({ summary: 'SHA-256 of the entry and of the hash of the entry before', example: '5ab3…' }),
};

type Row = Values<typeof auditFields>;

const aboutColumn = {
  title: 'ABOUT',
  of: ({ account, carrier }: Row) =>
    [account === null ? [] : `account ${account}`, carrier === null ? [] : `carrier ${carrier}`].flat().join(', '),
};

const filter = {
  operator: optional(auditFields.operator),
  operation: optional(auditFields.operation),
  account: optional(name({ summary: 'only changes of this account, even a removed one' })),
  carrier: optional(name({ summary: 'only changes of this carrier, even a removed one' })),
  since: optional(instant({ summary: 'only entries from this time or day on, such as 2027-01-31' })),
  until: optional(instant({ summary: 'only entries before this time' })),
  order: optional(
    oneOf(['newest', 'oldest'], { summary: 'which entries come first', placeholder: '<order>' }),
    'newest',
  ),
};

const verifyFields = {
  checked: count({ summary: 'number of entries that this step checked' }),
  last: orNone(auditFields.entry),
  hash: orNone(auditFields.hash),
  faults: rows(
    {
      entry: orNone(auditFields.entry),
      detail: text({ summary: 'what is wrong', example: 'entry 17 is missing: it was removed' }),
    },
    { summary: 'faults that this step found' },
  ),
  next: orNone(text({ summary: 'value of `after` in the next step; null after the last step' })),
};

const verified = {
  checked: verifyFields.checked,
  heads: rows(pick(auditFields, 'entry', 'hash'), { summary: 'newest entry of each node' }),
  faults: verifyFields.faults,
};

/** Each node has a newest entry, which is that of one step. */
function verifiedOf(
  { checked, faults }: Values<typeof verifyFields>,
  steps: readonly Values<typeof verifyFields>[],
): Values<typeof verified> {
  const heads = steps.flatMap(({ last: entry, hash }) => (entry === null || hash === null ? [] : [{ entry, hash }]));
  return { checked, heads, faults };
}

function verifiedText({ checked, heads, faults }: Values<typeof verified>): string {
  return [
    `checked ${counted(checked, 'entry', 'entries')}`,
    ...heads.map(({ entry, hash }) => `newest entry ${entry}:${hash}`),
    ...faults.map(({ entry, detail }) => `fault${entry === null ? '' : ` at ${entry}`}: ${detail}`),
    ...(faults.length === 0 ? ['none was changed or removed'] : []),
  ].join('\n');
}

export const audit = resource('audit', {
  summary: 'The audit log: every change by an operator, with who, when, from where and why',
  operations: {
    list: page('/audit', {
      summary: 'List the changes that operators made, newest first',
      label: 'Audit log',
      role: 'owner',
      input: filter,
      limit: 50,
      after: place(/^\d{1,16}\/\d{1,4}\/\d{1,15}$/),
      answer: auditFields,
      columns: ['entry', 'at', 'operator', 'operation', aboutColumn, 'reason', 'address'],
      command: {
        examples: {
          'audit list --account acme': 'show who changed acme',
          'audit list --operator jane --since 2027-01-01': 'show what jane did since this day',
          'audit list --operation price.set': 'show who set prices',
        },
        whenEmpty: 'there are no matching entries',
      },
    }),
    show: get('/audit/{entry}', {
      summary: 'Show one change: the request, and what was before and after',
      role: 'owner',
      input: pick(auditFields, 'entry'),
      answer: auditFields,
      command: { examples: { 'audit show 0-17': 'show entry 17 of node 0' } },
    }),
    verify: get('/audit/verify', {
      summary: 'Check that no entry was changed or removed; exit status 1 if one was',
      role: 'owner',
      input: { after: optional(place(/^(?:\d{1,4}-\d{1,15}-[0-9a-f]{64}|account-\d{1,15})$/, { typed: [] })) },
      answer: verifyFields,
      command: {
        examples: {
          'audit verify': 'check the whole log; the newest hash of each node is worth noting elsewhere',
          'audit verify --head 0-17:5ab3f0…': 'also check that entry 17 still has the hash that was noted',
        },
        whole: whole(verified, verifiedOf, {
          says: verifiedText,
          fails: ({ faults }) =>
            faults.length === 0 ? undefined : `the audit log has ${counted(faults.length, 'fault')}`,
        }),
        notes: `Each entry has the SHA-256 of itself and of the entry before, and the newest entry of each node is recorded apart. So a
changed entry, a removed entry and a removed end are found. Behind a fault, the check goes on, and names all faults. Then
it looks for the creation of each account and operator, so that a log that was emptied is found, too. A person who can write to the database can compute all
hashes anew: note the hashes that this command prints in another place, and give them with --head later.`,
      },
    }),
  },
});
