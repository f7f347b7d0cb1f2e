import { ok } from '@morsel/api/values/result.ts';
import { pageOf } from '../../../../store/views/page.ts';
import type { Handlers } from '../../bind.ts';
import { knownAccount } from '../../../../operator/account/known-account.ts';

/** The fields of an alert that are null for a current problem of the gateway, such as a full disk. */
const noFigures = {
  account: null,
  threshold: null,
  balance: null,
  prefix: null,
  carrier: null,
  unitPrice: null,
  unitCost: null,
  webhook: null,
  currency: null,
};

export const alertHandlers: Handlers<'alert'> = {
  /**
   * Current problems come first, because the gateway stores their alerts later when the disk is full. The ids of current problems
   * are higher than the ids of all stored alerts.
   */
  list: async (needs, { account, since = 0, after, limit }) => {
    const owner = await knownAccount(needs, account);
    if (!owner.ok) return owner;
    const before = Number(after ?? Number.MAX_SAFE_INTEGER);
    const troubles = needs.readiness.troubles
      .map((each, index) => ({ ...noFigures, ...each, at: each.since, id: Number.MAX_SAFE_INTEGER - 1 - index }))
      .filter((each) => account === undefined && each.at >= since && each.id < before);
    const found = await needs.reader.ask('alerts', { account: owner.value, since, before, limit: limit + 1 });
    return found.ok ? ok(pageOf([...troubles, ...found.value], limit, ({ id }) => String(id))) : found;
  },
};
