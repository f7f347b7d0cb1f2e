/* Writes the changed rows of the operator's commands. */

import type { Rows } from '../../tables/rows.ts';
import { webhookSecretTable, webhookTable } from '../../tables/webhook.ts';
import type { Statements } from '../statements.ts';

export function writeOperatorRows(rows: Rows, statements: Statements): void {
  for (const webhook of rows.webhooks.byId.values()) statements.save(webhookTable, webhook);
  for (const secrets of rows.webhooks.secrets.values()) {
    for (const secret of secrets) statements.save(webhookSecretTable, secret);
  }
}
