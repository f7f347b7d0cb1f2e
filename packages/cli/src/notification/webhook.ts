import { webhook } from '@morsel/api/admin/notification/webhook.ts';
import { writeJson } from '@morsel/api/fields/exact-json.ts';
import { jsonOf } from '@morsel/api/fields/field.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { gatewayCalls } from '../admin-client.ts';
import type { Typed } from '../bind.ts';
import type { Command, Shell } from '../command.ts';

/* The command `webhook test`, which explains the usual answers. */

type Done = ReturnType<Command['run']>;

/** If the webhook did not acknowledge, the command fails and names the usual reason. */
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

/** Hints by the HTTP status that the webhook answered. */
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
