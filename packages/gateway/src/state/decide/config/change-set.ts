/* Decisions about change sets. `keep-config.ts` marks a change set as applied, in the commit of its changes. */

import type { config } from '@morsel/api/admin/running/config.ts';
import type { Role } from '@morsel/api/admin/access/role.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { ok } from '@morsel/api/values/result.ts';
import { allChangeSets, changeSetByName, changeSetTable, type ChangeSetRow } from '../../tables/access.ts';
import { conflict, exists, missing, type Decided } from '../decided.ts';
import type { Decision } from '../decision.ts';

/** The most change sets, with the applied ones. */
const changeSetsMax = 200;

interface MadeDraft {
  /** The roles that its steps need. */
  readonly roles: readonly Role[];
  readonly shown: AnswerOf<typeof config.operations.plan>;
}

const add: Decision<'changeSet.add', MadeDraft> = (rows, { changeSet: name, config, prune }, { at, by, made }) => {
  if (rows.one(changeSetByName, name))
    return exists(`there is a change set named ${name} already: choose another name`);
  if (rows.all(allChangeSets).length >= changeSetsMax)
    return conflict(`there are ${changeSetsMax} change sets already: remove one first`);
  const id = rows.nextId(changeSetTable);
  const draft = { name, config, prune, roles: made.roles, createdAt: at, createdBy: by };
  const none = { appliedAt: null, appliedBy: null, undo: null };
  const row = rows.add(changeSetTable, { id, ...draft, state: 'draft', ...none });
  return ok({ ...changeSetShown(row), ...made.shown });
};

const remove: Decision<'changeSet.remove'> = (rows, { changeSet: name }) => {
  const row = rows.one(changeSetByName, name);
  if (!row) return noChangeSet(name);
  row.change = 'gone';
  return ok({ changeSet: name });
};

const subject = ({ changeSet }: { readonly changeSet: string }) => changeSet;

export const changeSetDecisions = {
  'changeSet.add': { decide: add, isSetting: false, subject },
  'changeSet.remove': { decide: remove, isSetting: false, subject },
} as const;

export function noChangeSet(name: string): Decided<never> {
  return missing(`there is no change set named ${name}`);
}

/** A change set as operators see it in a list. */
export function changeSetShown({ name: changeSet, ...row }: Omit<ChangeSetRow, 'change'>) {
  const { state, prune, createdAt, createdBy, appliedAt, appliedBy } = row;
  return { changeSet, state, prune, createdAt, createdBy, appliedAt, appliedBy };
}
