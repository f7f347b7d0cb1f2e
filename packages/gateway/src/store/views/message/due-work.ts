/* The view of what is due, so that the gateway writes only if there is something to do. */

import type { Instant } from '@morsel/api/values/time.ts';
import { overdueParts } from '../../../state/decide/message/deadline.ts';
import { newUnknown, newUnknownOf, toLookAt } from '../../../state/decide/message/unmatched.ts';
import { flag } from '../../../state/tables/column.ts';
import { shape, type ShapeOf } from '../../../state/tables/table.ts';
import { sqlOf } from '../../lookups/texts.ts';
import type { Queries } from '../queries.ts';

const dueShape = shape({ parts: flag, receipts: flag, queued: flag });

/** The condition on `queue`, which holds for all rows, makes the planners use its index. */
const sql = `select exists (${sqlOf(overdueParts)}) as parts,
  exists (${sqlOf(toLookAt)}) or exists (select 1 from unmatched_receipt ${sqlOf(newUnknown)}) as receipts,
  exists (select 1 from queue where route > 0) as queued`;

/** Whether the commands `expire` and `rematch` would find parts or receipts at this time, and whether parts wait. */
export function readDueWork(queries: Queries, at: Instant): Promise<ShapeOf<typeof dueShape> | undefined> {
  const max = 1;
  return queries.row(dueShape, sql, at, max, ...newUnknownOf({ at, max }));
}
