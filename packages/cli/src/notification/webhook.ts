import { failureFields, notification } from '@morsel/api/admin/notification/notification.ts';
import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf } from '@morsel/api/admin/field.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { WebhookStatus } from '@morsel/api/values/notification.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Typed } from '../bind.ts';
import type { Command, Shell } from '../command.ts';
import { counted } from '../counted.ts';
import { cardOf, tableOf } from '../show.ts';
import { inSteps } from '../steps.ts';

/* The commands of webhooks and notifications that do more than print the gateway's answer. */

type Done = ReturnType<Command['run']>;

/**
 * Prints the answer of the webhook. If the webhook did not acknowledge, the command fails and names the usual reason.
 */
export async function testWebhook({ webhook: id = '', kind }: Typed, shell: Shell): Done {
  const tested = await gatewayCalls(shell).webhook.test({ webhook: id, kind });
  if (!tested.ok) return tested;
  const { isGood, status, detail, tookMs, warning } = tested.value;
  if (warning !== undefined && !shell.isJson) shell.warn(warning);
  const sent = `the sample event was of kind ${tested.value.kind}`;
  const came = `${detail}, after ${tookMs} ms`;
  if (isGood) {
    const json = writeJson(jsonOf(webhook.operations.test.answer, tested.value));
    return ok({ json, text: `webhook ${id} acknowledged: ${came}\n${sent}` });
  }
  const hint = hints[status ?? 0] ?? '';
  return refused({ kind: 'refused', detail: `webhook ${id} did not acknowledge: ${came}${hint}; ${sent}` });
}

/** What usually helps, by the HTTP status that the webhook answered. */
const hints: { readonly [status: number]: string } = {
  301: ' (the URL has moved permanently: set the new URL)',
  302: ' (the URL redirects: set the URL to which it redirects)',
  307: ' (the URL redirects: set the URL to which it redirects)',
  308: ' (the URL has moved permanently: set the new URL)',
  400: ' (the webhook did not understand the request: check the names of the fields and --method)',
  401: ' (the webhook wants a key: give a key with --constant, or let the webhook verify the signature)',
  403: ' (the webhook refuses access, or wants a key)',
  404: ' (the server has nothing at this path)',
  405: ' (the webhook wants another --method)',
  415: ' (the webhook wants another --method)',
  429: ' (the webhook gets too many requests: a lower --concurrency may help)',
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
  /** The status of each webhook that does not get notifications now, by the id of the webhook. */
  readonly stopped: ReadonlyMap<number, WebhookStatus>;
}

/** Says how many dead letters are replayed, and why others are not. */
function sentenceOf({ replayed, left, stopped }: Counts): string {
  if (replayed + left === 0) return 'no dead letters match: nothing is replayed';
  const parts = [counted(replayed, 'dead letter is replayed', 'dead letters are replayed')];
  for (const [id, status] of stopped) {
    parts.push(`webhook ${id} is ${status}: its notifications wait until the webhook is resumed`);
  }
  if (left > 0) {
    const stay = counted(left, 'stays a dead letter', 'stay dead letters');
    parts.push(`${stay}, because no webhook or session gets such notifications now: add a webhook, then replay again`);
  }
  return parts.join('; ');
}

type Shown = AnswerOf<typeof notification.operations.show>;

/** A notification, and its failed tries as a table. */
export function showNotification(shown: Shown, { hasColour }: Shell): string {
  const lines = cardOf(notification.operations.show, shown, { hasColour });
  if (shown.failures.length === 0) return lines;
  const failures = { answer: failureFields, columns: ['try', 'at', 'by', 'outcome'] as const };
  return `${lines}\n\n${tableOf(failures, shown.failures, { hasColour, whenEmpty: '' })}`;
}
