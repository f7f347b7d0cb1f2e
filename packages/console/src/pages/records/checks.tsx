/* Proves that the books agree: the ledger with the messages, the CDRs with both, and the chain of the audit log. */

import { audit } from '@morsel/api/admin/access/audit.ts';
import { cdr } from '@morsel/api/admin/message/cdr.ts';
import { ledger } from '@morsel/api/admin/money/ledger.ts';
import { ActionButton } from '../../ui/action.tsx';
import { Card, css } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

export function Checks() {
  return (
    <div className={css['columns']}>
      <Card title={words.records.ledgerCheck}>
        <div className={css['stack']}>
          <p>{words.records.ledgerCheckAbout}</p>
          <ActionButton label={words.records.check} operation={ledger.operations.check} hasResult />
        </div>
      </Card>
      <Card title={words.records.cdrCheck}>
        <div className={css['stack']}>
          <p>{words.records.cdrCheckAbout}</p>
          <ActionButton label={words.records.check} operation={cdr.operations.check} hasResult />
        </div>
      </Card>
      <Card title={words.records.auditCheck}>
        <div className={css['stack']}>
          <p>{words.records.auditCheckAbout}</p>
          <ActionButton label={words.records.check} operation={audit.operations.verify} hasResult />
        </div>
      </Card>
    </div>
  );
}
