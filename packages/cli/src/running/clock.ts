import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import { gateway } from '@morsel/api/admin/running/gateway.ts';
import { ok } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Command, Input, Shell } from '../command.ts';
import { confirmed } from '../confirm.ts';

const behindText =
  'the clock is behind the newest record: until it passes that record, new ledger entries and message ids carry its date';

/** Confirms the clock; a person who confirms one that is behind is asked. */
export async function confirmClock(_given: object, shell: Shell, input: Input): ReturnType<Command['run']> {
  const calls = gatewayCalls(shell).gateway;
  const status = await calls.status();
  if (!status.ok) return status;
  const behind = status.value.troubles.some(({ kind }) => kind === 'clock-behind');
  const question = `${behindText}. Is the clock right?`;
  const meant = behind ? await confirmed(input, shell, { sentence: behindText, question }) : ok(undefined);
  if (!meant.ok) return meant;
  const done = await calls.confirmClock({ behind });
  if (!done.ok) return done;
  const json = writeJson(jsonOf(gateway.operations.confirmClock.answer, done.value));
  return ok({ json, text: 'the clock is trusted: held messages expire or are sent now' });
}
