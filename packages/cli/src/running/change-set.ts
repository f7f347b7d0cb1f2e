/* Commands about change sets that read a file of settings, or show differences: `change-set add`, `show` and `apply`. */

import { counted } from '@morsel/api/fields/shown.ts';
import { pick } from '@morsel/api/fields/compose.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { changeSet } from '@morsel/api/admin/running/change-set.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandOf, commandsOf } from '../bind.ts';
import type { Command, Input, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';
import { file, placed, planText, prune, secretsText, yes } from './config.ts';

type Done = ReturnType<Command['run']>;

const { add, apply } = changeSet.operations;
const key = pick(add.input, 'changeSet');

export const changeSetCommands: readonly Command[] = [
  commandOf({
    words: 'change-set add',
    summary: 'Store the changes of a file as a draft; nothing else is changed',
    input: { ...key, file, prune },
    arguments: ['changeSet', 'file'],
    isChange: true,
    examples: {
      'change-set add cheaper-swiss changes.yaml': 'store a draft, to look at it and replay messages with it',
    },
    notes: () => notes,
    run: addDraft,
  }),
  commandOf({
    words: 'change-set apply',
    summary: 'Show what a change set changes, ask, and apply it in one commit: all of it, or nothing',
    input: { ...key, yes },
    arguments: ['changeSet'],
    isChange: true,
    examples: { 'change-set apply cheaper-swiss': 'look at the changes and confirm them' },
    run: applyChangeSet,
  }),
  ...commandsOf(changeSet, {
    show: { says: (shown, shell) => `${shown.changeSet}: ${shown.state}\n${planText(shown, shell)}` },
    undo: {
      says: (made, shell) => `draft ${made.changeSet} is made; it undoes the change set\n${planText(made, shell)}`,
    },
  }),
];

const notes = `The file has the form of a settings file (config export), with only what changes. An object with remove: true is removed.
A section prices sets single prices: - { list: default, prefix: "41", price: 0.0075 }; price: null removes one. A draft has no
secrets. Its author, and who applies it, need the roles of its changes.`;

async function addDraft(
  {
    changeSet: name,
    file: from,
    prune: isPruned,
  }: { readonly changeSet: string; readonly file: string; readonly prune: boolean },
  shell: Shell,
): Done {
  const { readConfig } = await import('./config-file.ts');
  const read = await readConfig(shell, from);
  if (!read.ok) return read;
  const { json: config, placeOf } = read.value;
  const made = await gatewayCalls(shell).changeSet.add({ changeSet: name, config, prune: isPruned });
  if (!made.ok) return refused(placed(shell, made.error, { from, placeOf }));
  const text = `draft ${name} is stored; morsel change-set replay ${name} shows its effect on the last hour\n${planText(made.value, shell)}`;
  return ok({ json: writeJson(jsonOf(add.answer, made.value)), text });
}

async function applyChangeSet({ changeSet: name }: { readonly changeSet: string }, shell: Shell, input: Input): Done {
  const shown = await gatewayCalls(shell).changeSet.show({ changeSet: name });
  if (!shown.ok) return shown;
  const { steps, version } = shown.value;
  if (!shell.isJson) shell.warn(planText(shown.value, shell));
  const sentence = `${counted(steps.length, 'object')} would change`;
  const agreed = await confirmed(input, shell, { sentence, question: 'Apply this?' });
  if (!agreed.ok) return agreed;
  const done = await gatewayCalls(shell).changeSet.apply({ changeSet: name, version });
  if (!done.ok) return done;
  const text = `${counted(steps.length, 'object')} changed, in one commit; morsel change-set undo ${name} makes the reverse draft`;
  return ok({ json: writeJson(jsonOf(apply.answer, done.value)), text: `${text}${secretsText(done.value)}` });
}
