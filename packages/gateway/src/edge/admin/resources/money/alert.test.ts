import assert from 'node:assert/strict';
import { it } from 'node:test';
import { gateway } from '../../../../../test/support/admin-api.ts';
import { done } from '../../../../../test/support/done.ts';
import { operatorCalls } from '../../handlers.ts';

it('alerts come page after page: first current troubles, then stored ones, the newest first', async () => {
  const { account, posting } = operatorCalls(gateway.operator);
  done(await account.add({ name: 'acme', currency: 'EUR', balance: '100', lowBalance: '50,10' }));
  for (const amount of ['-60', '-35']) done(await posting.adjust({ account: 'acme', amount, reason: 'a letter' }));
  const trouble = { since: gateway.operator.clock.now(), detail: 'it is so' };
  const troubles = [
    { ...trouble, kind: 'disk-full' as const },
    { ...trouble, kind: 'clock-ahead' as const },
  ];
  const { readiness } = gateway.operator;
  const { alert } = operatorCalls({
    ...gateway.operator,
    readiness: { troubles, isHeld: false, ready: () => readiness.ready(), resume: () => false },
  });
  const read: unknown[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page: Awaited<ReturnType<typeof alert.list>> = await alert.list({ after, limit: 1 });
    read.push(...done(page).items.map(({ kind, threshold }) => [kind, threshold]));
    after = done(page).next;
  }
  const stored = [10_000_000n, 50_000_000n].map((threshold) => ['low-balance', threshold]);
  assert.deepEqual(read, [['disk-full', null], ['clock-ahead', null], ...stored]);
  const ofAcme = done(await alert.list({ account: 'acme' })).items;
  assert.deepEqual(
    ofAcme.map(({ balance }) => balance),
    [5_000_000n, 40_000_000n],
  );
});
