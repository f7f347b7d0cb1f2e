/* Records of the past: the audit log, refused requests, the CDRs, and checks that the books agree. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import { refusal } from '@morsel/api/admin/account/refusal.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { job } from '@morsel/api/admin/running/job.ts';
import { ledger } from '@morsel/api/admin/money/ledger.ts';
import { Act } from '../ui/action.tsx';
import { Head } from '../ui/page/head.tsx';
import { saidOf } from '../ui/labels.ts';
import { Parts } from '../ui/resource.tsx';
import { Card, css } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { idCell, messageCells } from './cells.tsx';

/** How often the list of jobs shows their progress. */
const jobsMs = 2_000;

export function Records() {
  return (
    <>
      <Head title={words.pages.records} />
      <Parts
        parts={{
          audit: { of: audit, cells: { entry: idCell('/records/audit/$id', 'entry') } },
          jobs: { of: job, refetchMs: jobsMs },
          refusals: { of: refusal, cells: messageCells },
          inbound: { of: inbound, cells: messageCells },
          cdr: { of: cdr, cells: messageCells, isOldestFirst: true },
          checks: { of: cdr, verb: 'check', label: words.records.checks, content: () => <Checks /> },
        }}
      />
    </>
  );
}

function Checks() {
  const checks = [
    [words.records.ledger, ledger, 'check', ledger.operations.check],
    [words.records.cdr, cdr, 'check', cdr.operations.check],
    [words.records.audit, audit, 'verify', audit.operations.verify],
  ] as const;
  return (
    <div className={css['columns']}>
      {checks.map(([title, of, verb, { summary }]) => (
        <Card key={title} title={title}>
          <div className={css['stack']}>
            <p>{saidOf(summary)}</p>
            <Act of={of} verb={verb} label={words.records.check} />
          </div>
        </Card>
      ))}
    </div>
  );
}
