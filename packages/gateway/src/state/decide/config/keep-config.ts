/* Keeps the settings as they were before an operator's file was applied, so that the operator can go back. */

import { ok } from '@morsel/api/values/result.ts';
import type { Instant } from '@morsel/api/values/time.ts';
import { changeSetById, configStateTable, newestConfigState } from '../../tables/access.ts';
import { effect } from '../../tables/lookup.ts';
import { rewrite, type Rows } from '../../rows/rows.ts';
import { conflict, type Decided } from '../decided.ts';
import { rehearsed } from '../rehearsal.ts';

/** The most earlier settings that are kept. Each takes some hundred KiB at most. */
const statesMax = 20;

const deleteOldStates = effect<[through: number]>()('config_state.delete-old');

export interface KeepConfig {
  readonly at: Instant;
  readonly actor: string;
  /** The number of the newest apply of a file that the operator knew; 0 if there was none. */
  readonly after: number;
  /** The settings before this apply of a file, as JSON without secrets. */
  readonly config: string;
  /** The change set that is applied, with the document that undoes it. */
  readonly changeSet?: { readonly id: number; readonly undo: string } | undefined;
}

export const keepConfigCommand = rehearsed(
  (rows: Rows, { at, actor, after, config, changeSet }: KeepConfig): Decided<{ readonly number: number }> => {
    const newest = rows.one(newestConfigState, 0)?.number ?? 0;
    if (newest !== after) return conflict(changedMeanwhile);
    const number = newest + 1;
    if (changeSet) {
      const row = rows.one(changeSetById, changeSet.id);
      if (!row || row.state === 'applied') return conflict(changedMeanwhile);
      rewrite(row, { state: 'applied', appliedAt: at, appliedBy: actor, undo: changeSet.undo });
    }
    rows.add(configStateTable, { number, at, actor, config });
    rows.run(deleteOldStates, number - statesMax);
    return ok({ number });
  },
);

export const changedMeanwhile =
  'the settings have changed since this plan was made: look at a new plan, and apply that one';
