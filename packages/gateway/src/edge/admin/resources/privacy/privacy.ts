import { ok, refused } from '@morsel/api/values/result.ts';
import { parseReceiver } from '../../../../core/number/address.ts';
import type { Snapshot } from '../../../../core/snapshot.ts';
import { invalid } from '../../../../core/base/rejection.ts';
import type { Handlers } from '../../bind.ts';
import { decided } from '../../direct.ts';

/* The handlers of the erasure and the export of one phone number. */

const keyOctets = 32;

const erase = decided('privacy.erase', ({ random }) => ({
  random: random.bytes(keyOctets),
  newKey: random.bytes(keyOctets),
}));

export const privacyHandlers: Handlers<'privacy'> = {
  erase: async (needs, { receiver: given, reason }) => {
    const receiver = parseReceiver(given);
    if (!receiver.ok) return receiver;
    const digits = receiver.value.slice(1);
    // The audit log keeps every reason, so a reason must not have the number.
    if (`${reason} ${needs.caller.reason}`.replaceAll(/\D/g, '').includes(digits))
      return invalid('reason', 'must not have the number, because it stays in the audit log');
    const added = await erase(needs, { receiver: receiver.value, reason });
    if (added.ok) needs.erasing.wake();
    return added;
  },
  rebuild: async ({ journal, clock, erasing }) => {
    if (journal.durability.engine !== 'SQLite') {
      const detail = 'the data is in PostgreSQL: docs/privacy.md says what to do there';
      return refused({ code: 'conflict', detail });
    }
    const beganMs = clock.monotonicMs();
    await journal.clean('rebuild');
    const tookMs = Math.round(clock.monotonicMs() - beganMs);
    await erasing.lookAgain();
    return ok({ tookMs });
  },
  export: async ({ reader, snapshot }, { receiver: given, after }) => {
    const receiver = parseReceiver(given);
    if (!receiver.ok) return receiver;
    const read = await reader.ask('numberRows', { receiver: receiver.value, after });
    if (!read.ok) return read;
    const rows = read.value.rows.map(({ table, row }) => ({
      table,
      row: JSON.stringify(withNames(snapshot(), row), plain),
    }));
    return ok({ rows, next: read.value.next });
  },
};

/** Replaces the ids of accounts and carriers in a table's row with their names. Rows of views have names already. */
function withNames({ accounts, carriers }: Snapshot, row: object): object {
  const { account, carrier }: { readonly account?: unknown; readonly carrier?: unknown } = { ...row };
  return {
    ...row,
    ...(typeof account === 'number' && { account: accounts.get(account)?.name ?? account }),
    ...(typeof carrier === 'number' && { carrier: carriers.get(carrier)?.name ?? carrier }),
  };
}

/** Writes amounts as texts, because numbers in JSON are floats, and octets as hexadecimal digits. */
function plain(_member: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'bigint' ? String(value) : value;
}
