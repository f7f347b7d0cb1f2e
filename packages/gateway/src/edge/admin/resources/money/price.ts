import type { OperationName } from '@morsel/api/admin/resources.ts';
import { ok } from '@morsel/api/values/result.ts';
import { versionAt } from '../../../../core/money/price-list.ts';
import { conflict } from '../../../../state/decide/decided.ts';
import type { ViewedName } from '../../../../store/views/views.ts';
import type { Handlers } from '../../bind.ts';
import { decideOperation, viewed } from '../../direct.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of price lists. A separate thread reads whole price lists and price files. */

export const priceHandlers: Handlers<'price'> = {
  list: async (needs, page) => {
    const now = needs.clock.now();
    const found = await needs.prices.ask('priceLists', { now, ...page });
    if (!found.ok) return found;
    const { priceLists } = needs.snapshot();
    const countOf = (id: number) => {
      const list = priceLists.get(id);
      return (list && versionAt(list, now)?.prices.size) ?? 0;
    };
    return ok({ ...found.value, items: found.value.items.map((list) => ({ ...list, prices: countOf(list.id) })) });
  },
  show: apart('price.show'),
  versions: apart('price.versions'),
  export: apart('price.export'),
  /** The gateway stores the prices before it publishes them, so that a large file delays no other commit. */
  import: async (needs, input) => {
    const read = await needs.prices.ask('priceImport', { ...input, now: needs.clock.now() });
    if (!read.ok) return read;
    if (!read.value.ok) return read.value;
    const { shown, pieces, changes } = read.value.value;
    if (input.dryRun || changes === 0) return ok(shown);
    if (shown.heldBack !== null) return conflict(`nothing was changed: ${shown.heldBack}`);
    const { list, currency, base, effectiveAt, replace: isWhole } = input;
    const wanted = { list, currency, base, from: shown.from, effectiveAt, isWhole };
    return needs.imports.import(wanted, pieces, async (id) => {
      // The file is left out: the decision does not need it, and the writing thread would get a copy of it.
      const terms = { ...input, file: '', mapping: undefined };
      const done = await decideOperation(needs, 'price.import', { input: terms, made: { id, changes, shown } });
      return done.ok ? ok(done.value ?? shown) : done;
    });
  },
  /** Withdraws a version. If it is in effect, the prices of the version before it are published as a new version. */
  withdraw: async (needs, input) => {
    const { list, version } = input;
    const publish = async (made: { readonly id: string; readonly changes?: number }) => {
      const done = await decideOperation(needs, 'price.withdraw', { input, made });
      return done.ok ? ok({ published: null, ...input, ...done.value }) : done;
    };
    const read = await needs.prices.ask('priceWithdrawal', { list, version, now: needs.clock.now() });
    if (!read.ok) return read;
    if (!read.value.ok) return read.value;
    if (read.value.value !== null) {
      const { pieces, changes } = read.value.value;
      const terms = {
        list,
        currency: undefined,
        base: undefined,
        from: version,
        effectiveAt: undefined,
        isWhole: true,
      };
      return needs.imports.import(terms, pieces, async (id) => publish({ id, changes }));
    }
    const id = needs.imports.makeId();
    const withdrawn = await publish({ id });
    if (withdrawn.ok) needs.imports.sweep(id);
    return withdrawn;
  },
};

/** Handles an operation by its view, which the separate thread for prices reads. */
function apart<N extends ViewedName & OperationName>(operation: N) {
  const view = viewed(operation);
  return (needs: OperatorNeeds, input: Parameters<typeof view>[1]) => view({ ...needs, reader: needs.prices }, input);
}
