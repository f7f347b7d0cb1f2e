import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Typed } from '../bind.ts';
import type { Command, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { inSteps } from '../steps.ts';

/* The commands of webhooks that do more than print the gateway's answer. */

type Done = ReturnType<Command['run']>;

/** Prints the receiver's answer; without an acknowledgement it fails, with the usual reason. */
export async function testWebhook({ webhook: id = '', kind }: Typed, shell: Shell): Done {
  const tested = await gatewayCalls(shell).webhook.test({ webhook: id, kind });
  if (!tested.ok) return tested;
  const { isGood, status, detail, tookMs, warning } = tested.value;
  if (warning !== undefined && !shell.isJson) shell.warn(warning);
  const sent = `the event was of the kind ${tested.value.kind}`;
  const came = `${detail}, after ${tookMs} ms`;
  if (isGood) {
    const json = writeJson(jsonOf(webhook.operations.test.answer, tested.value));
    return ok({ json, text: `webhook ${id} acknowledged: ${came}\n${sent}` });
  }
  const hint = hints[status ?? 0] ?? '';
  return refused({ kind: 'refused', detail: `webhook ${id} did not acknowledge: ${came}${hint}; ${sent}` });
}

/** The usual reason, by status. */
const hints: { readonly [status: number]: string } = {
  301: ' (set the address that it has moved to)',
  302: ' (set the address that it leads to)',
  307: ' (set the address that it leads to)',
  308: ' (set the address that it has moved to)',
  400: ' (it does not understand: does it want other names, or another method?)',
  401: ' (it wants a key: give one with --constant, or have it verify the signature)',
  403: ' (it lets nobody in, or wants a key)',
  404: ' (there is nothing at this path)',
  405: ' (it wants another --method)',
  415: ' (it wants another --method)',
  429: ' (it is asked too often: a lower --concurrency may help)',
};

/** Replays dead letters, batch after batch. */
export async function replayDeadLetters(given: Typed, shell: Shell): Done {
  const counts = { replayed: 0, left: 0, stopped: new Map<number, WebhookStatus>() };
  const last = await inSteps((place) => gatewayCalls(shell).webhook.replay({ ...given, after: place.after }), {
    onStep: (step) => {
      counts.replayed += step.replayed;
      counts.left += step.left;
      for (const each of step.stopped) counts.stopped.set(each.webhook, each.status);
      if (counts.replayed > 0) shell.progress?.(step.next === null ? '' : `${counts.replayed} replayed`);
    },
    soFar: () => (counts.replayed === 0 ? undefined : sentenceOf(counts)),
  });
  if (!last.ok) return last;
  const stopped = [...counts.stopped].map(([id, status]) => ({ webhook: String(id), status }));
  return ok({ json: JSON.stringify({ ...counts, stopped }), text: sentenceOf(counts) });
}

interface Counts {
  readonly replayed: number;
  readonly left: number;
  /** By the ids of webhooks. */
  readonly stopped: ReadonlyMap<number, WebhookStatus>;
}

/** What is replayed, what is not, and why. */
function sentenceOf({ replayed, left, stopped }: Counts): string {
  if (replayed + left === 0) return 'there are no such dead letters: nothing is replayed';
  const parts = [counted(replayed, 'dead letter is replayed', 'dead letters are replayed')];
  for (const [id, status] of stopped) {
    parts.push(`webhook ${id} is ${status}: what is for it waits until it is resumed`);
  }
  if (left > 0) {
    const stay = counted(left, 'stays a dead letter', 'stay dead letters');
    parts.push(`${stay}, since no webhook or session gets such notifications now: add one, then replay again`);
  }
  return parts.join('; ');
}
