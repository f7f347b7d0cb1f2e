/* The command `listen`, which shows the events of an account live, and can forward them like a webhook. */

import { printable } from '@morsel/api/fields/shown.ts';
import { randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkCodeOf } from '@morsel/api/admin/client.ts';
import { list } from '@morsel/api/fields/compose.ts';
import { readJson } from '@morsel/api/fields/exact-json.ts';
import { oneOf } from '@morsel/api/fields/fields.ts';
import { notificationKinds } from '@morsel/api/values/notification.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { keyOfSecret, makeSecret, secretBytes, signedHeaders } from '@morsel/gateway/core/notification/signature.ts';
import { gatewayCalls } from '../admin-client.ts';
import { usage, type Command, type Failure, type Input, type Shell } from '../command.ts';
import { contentOf, firstLineOf } from '../files/file-content.ts';
import { stopSignals } from '../running/stop-signals.ts';

export const listenCommands: readonly Command[] = [
  {
    words: 'listen',
    summary: 'Show inbound messages, receipts and alerts of an account as they happen',
    arguments: [{ name: 'account', summary: 'account whose events to show' }],
    options: [
      { flags: '--on <kinds>', summary: 'only these kinds of events: inbound, receipt, alert; separated by commas' },
      { flags: '--forward <url>', summary: 'also send each event to this URL, like a webhook' },
      {
        flags: '--secret-file <file>',
        summary: 'secret that signs forwarded events (default: a new secret, which is shown)',
      },
    ],
    examples: {
      'listen shop': 'shows events until Ctrl-C',
      'listen shop --forward http://localhost:3000/sms':
        'forwards events to a webhook that you develop on this machine',
      'listen shop --on inbound --json': 'prints each event as one line of JSON, as a webhook gets it',
    },
    notes: () =>
      'Webhooks and sessions of the account get the same events. Earlier events, and events while nobody listened,\nare not shown: see inbound list and message find.',
    run: listen,
  },
];

/** The time limit for an answer of the forward address. Webhooks have the same limit. */
const forwardMaxMs = 15 * secondMs;
/** The pause between requests while the gateway does not answer. */
const againMs = secondMs;

const kinds = list(oneOf(notificationKinds, { summary: 'a kind' }), { min: 1, max: 3, summary: 'kinds of events' });

interface Plan {
  readonly account: string;
  readonly on: readonly string[];
  readonly forward: Forward | undefined;
}

interface Forward {
  readonly url: string;
  readonly key: KeyObject;
}

async function listen(input: Input, shell: Shell): Promise<Result<undefined, Failure>> {
  const plan = await planOf(input, shell);
  if (!plan.ok) return plan;
  const { account } = plan.value;
  const { event } = gatewayCalls(shell);
  const first = await event.listen({ account });
  if (!first.ok) return first;
  shell.warn(`listening to events of account ${account}, until Ctrl-C`);
  const stopping = new AbortController();
  const stopped = stopSignals().then(() => stopping.abort());
  const show = displayOf(plan.value, shell, stopping.signal);
  const next = (after: number | undefined) => Promise.race([event.listen({ account, after }), stopped]);
  let after: number | undefined = first.value.last;
  for (;;) {
    const answer = await next(after);
    if (!answer) return ok(undefined);
    if (!answer.ok) {
      if (!isPassing(answer.error)) return answer;
      if (after !== undefined) shell.warn(`${answer.error.detail}; waiting for the gateway`);
      after = undefined;
      if (await Promise.race([sleep(againMs, true), stopped])) continue;
      return ok(undefined);
    }
    if (after === undefined) shell.warn('the gateway answers again; events from the time between are not shown');
    after = answer.value.last;
    if (answer.value.missed > 0)
      shell.warn(`${answer.value.missed} events are not shown, because too many happened at once`);
    for (const { body } of answer.value.events) show(body);
  }
}

async function planOf({ values }: Input, shell: Shell): Promise<Result<Plan, Failure>> {
  const { account = '', on: typed, forward: url, secretFile: file } = values;
  const on = typed === undefined ? ok(notificationKinds) : kinds.read(typed);
  if (!on.ok) return refused(usage(`--on ${on.error}`));
  const plan = { account, on: on.value };
  if (url === undefined) {
    if (file === undefined) return ok({ ...plan, forward: undefined });
    return refused(usage('--secret-file needs --forward, because only forwarded events are signed'));
  }
  if (!['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')) {
    return refused(usage('--forward must be a URL such as http://localhost:3000/sms'));
  }
  const secret = file === undefined ? ok(madeSecret(shell)) : await contentOf(file);
  if (!secret.ok) return secret;
  const key = keyOfSecret(firstLineOf(secret.value));
  return key.ok ? ok({ ...plan, forward: { url, key: key.value } }) : refused(usage(`--secret-file ${key.error}`));
}

function madeSecret(shell: Shell): string {
  const secret = makeSecret(randomBytes(secretBytes));
  shell.warn(`forwarded events are signed with the secret ${secret}`);
  return secret;
}

/** The most events that wait for a slow forward address. Further events are not forwarded. */
const forwardsMax = 1_000;

/** Shows events at once, and forwards them one after the other, which does not delay the display. */
function displayOf({ on, forward }: Plan, shell: Shell, stopping: AbortSignal): (body: string) => void {
  let waiting = 0;
  let forwarded = Promise.resolve();
  return (body) => {
    const event = membersOf(body);
    if (!on.some((kind) => kind === event['type'])) return;
    shell.report({ json: body, text: lineOf(event) });
    if (!forward) return;
    if (waiting >= forwardsMax) {
      shell.warn(`${forward.url}: ${forwardsMax} events already wait to be forwarded: this event is not forwarded`);
      return;
    }
    waiting += 1;
    forwarded = forwarded.then(async () => {
      const outcome = await post(forward, body, stopping);
      waiting -= 1;
      if (!stopping.aborted) shell.warn(`${forward.url}: ${outcome}`);
    });
  };
}

/** Sends an event to the forward address, and returns a description of the result. */
async function post({ url, key }: Forward, body: string, stopping: AbortSignal): Promise<string> {
  if (stopping.aborted) return 'not forwarded';
  const signed = signedHeaders([key], { id: `msg_${randomUUID()}`, at: Date.now(), content: body });
  const headers = { 'content-type': 'application/json', ...signed };
  const began = performance.now();
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(forwardMaxMs), stopping]);
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await answer.body?.cancel();
    const took = `in ${Math.round(performance.now() - began)} ms`;
    return answer.ok
      ? `${answer.status} ${took}`
      : `${answer.status} ${took}: after this answer of a webhook, the event would be sent again`;
  } catch (fault) {
    return `no answer (${reasonOf(fault)})`;
  }
}

/** Whether the failure is temporary: the gateway does not answer, or is stopping. */
function isPassing({ kind, problem }: Failure): boolean {
  return kind === 'unreachable' || (problem !== undefined && membersOf(problem)['code'] === 'unavailable');
}

/** The members of a JSON object as texts, so that amounts keep their exact digits. */
function membersOf(json: string): { readonly [member: string]: string } {
  const members = Object.entries({ ...Object(readJson(json)) });
  return Object.fromEntries(members.map(([member, value]) => [member, printable(String(value))]));
}

/** Users do not know the internal error codes of Node's HTTP client. */
function reasonOf(fault: unknown): string {
  const code = networkCodeOf(fault);
  return code.startsWith('UND_ERR_') ? 'the connection was closed, or the answer was not HTTP' : code;
}

function lineOf({ msgId = '', ...event }: ReturnType<typeof membersOf>): string {
  switch (event['type']) {
    case 'inbound': {
      const { receivedTime, sender, receiver, complete, dcs, data, text } = event;
      const isWhole = complete === 'true' ? '' : ', incomplete';
      const content = dcs === 'BIN' ? data : `"${text ?? ''}"`;
      return `${receivedTime}  inbound  ${msgId}  ${sender} -> ${receiver}${isWhole}  ${content}`;
    }
    case 'receipt': {
      const { dlrTime, event: state, errorCode } = event;
      return `${dlrTime}  receipt  ${msgId}  ${state}${errorCode === undefined ? '' : ` (${errorCode})`}`;
    }
    default: {
      const { time, alert, clientBalance, clientCurrency, threshold } = event;
      return `${time}  alert    ${alert}: ${clientBalance} ${clientCurrency}, below ${threshold} ${clientCurrency}`;
    }
  }
}
