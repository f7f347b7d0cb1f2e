import { randomBytes, randomUUID } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import { keyOfSecret, makeSecret, secretBytes, signaturesOf } from '@morsel/gateway/core/notification/signature.ts';
import { call } from '../admin-client.ts';
import { usage } from '../command.ts';
import type { Command, Failure, Input, Shell } from '../command.ts';
import { contentOf, firstLineOf } from '../file-content.ts';
import { toRow, toRows, word } from '../table.ts';
import type { Row } from '../table.ts';
import { stopSignals } from '../running/stop-signals.ts';

export const listenCommands: readonly Command[] = [
  {
    words: 'listen',
    summary: 'Show what an account is told, while it happens: messages from phones, receipts and alerts',
    arguments: [{ name: 'account', summary: 'whose' }],
    options: [
      { flags: '--on <kinds>', summary: 'only these, of inbound, receipt and alert, separated by commas' },
      { flags: '--forward <url>', summary: 'send each to this address too, as a webhook would' },
      { flags: '--secret-file <file>', summary: 'what signs them; without it a secret is made and shown' },
    ],
    examples: [
      ['listen shop', 'until Ctrl-C'],
      ['listen shop --forward http://localhost:3000/sms', 'to develop a webhook on this machine'],
      ['listen shop --on inbound --json', 'one JSON object a line, as a webhook gets it'],
    ],
    notes: () =>
      'It only looks on: what is shown here is delivered to the webhooks and sessions of the account all the same, and what\nhappened before it began, or while nobody listened, is in inbound list and message find.',
    run: listen,
  },
];

/** How long an address may take to answer: what a webhook may. */
const forwardMaxMs = 15 * secondMs;
/** Between questions to a gateway that does not answer. */
const againMs = secondMs;

const kinds = ['inbound', 'receipt', 'alert'];

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
  const first = await call(shell, 'listen', { account });
  if (!first.ok) return first;
  shell.warn(`listening to ${account}, until Ctrl-C`);
  const stopping = new AbortController();
  const stopped = stopSignals().then(() => stopping.abort());
  const tell = teller(plan.value, shell, stopping.signal);
  let last = word(toRow(first.value.value), 'last');
  for (let isAnswered = true; ;) {
    const asked = await Promise.race([
      call(shell, 'listen', isAnswered ? { account, after: last } : { account }),
      stopped,
    ]);
    if (!asked) return ok(undefined);
    if (!asked.ok) {
      if (!isPassing(asked.error)) return asked;
      if (isAnswered) shell.warn(`${asked.error.detail}; waiting for it`);
      isAnswered = false;
      if (await Promise.race([sleep(againMs, true), stopped])) continue;
      return ok(undefined);
    }
    if (!isAnswered) shell.warn('the gateway is there again; what happened meanwhile was not heard');
    isAnswered = true;
    const heard = toRow(asked.value.value);
    last = word(heard, 'last');
    const missed = word(heard, 'missed');
    if (missed !== '0') shell.warn(`${missed} more happened than could be shown`);
    for (const { body } of toRows(heard['events'])) if (typeof body === 'string') tell(body);
  }
}

async function planOf({ values }: Input, shell: Shell): Promise<Result<Plan, Failure>> {
  const on = values['on']?.split(',').map((kind) => kind.trim()) ?? kinds;
  const strange = on.find((kind) => !kinds.includes(kind));
  if (strange !== undefined) {
    const some = `it has to be some of ${kinds.join(', ')}, with commas between them`;
    return refused(usage(`--on: ${strange === '' ? some : `there is no kind ${strange}: ${some}`}`));
  }
  const url = values['forward'];
  const file = values['secretFile'];
  const account = values['account'] ?? '';
  if (url === undefined) {
    return file === undefined
      ? ok({ account, on, forward: undefined })
      : refused(usage('--secret-file: nothing is signed without --forward'));
  }
  if (!['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')) {
    return refused(usage('--forward: it has to be an address such as http://localhost:3000/sms'));
  }
  const secret = file === undefined ? ok(madeSecret(shell)) : await contentOf(file);
  if (!secret.ok) return secret;
  const key = keyOfSecret(firstLineOf(secret.value));
  return key.ok ? ok({ account, on, forward: { url, key: key.value } }) : refused(usage(`--secret-file: ${key.error}`));
}

function madeSecret(shell: Shell): string {
  const secret = makeSecret(randomBytes(secretBytes));
  shell.warn(`what is forwarded is signed with ${secret}`);
  return secret;
}

/** Events that wait for an address that is slow; beyond them some are not forwarded. */
const forwardsMax = 1_000;

/** Shows each event at once, and forwards one after the other, however long that takes. */
function teller({ on, forward }: Plan, shell: Shell, stopping: AbortSignal): (body: string) => void {
  let waiting = 0;
  let forwarded = Promise.resolve();
  return (body) => {
    const event = toRow(JSON.parse(body));
    if (!on.includes(word(event, 'type'))) return;
    shell.report({ json: body, text: lineOf(event) });
    if (!forward) return;
    if (waiting >= forwardsMax) {
      shell.warn(`${forward.url}: ${forwardsMax} wait for it already: this one is not forwarded`);
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

/** What came of it, in words. */
async function post({ url, key }: Forward, body: string, stopping: AbortSignal): Promise<string> {
  if (stopping.aborted) return 'not forwarded';
  const [id, timestamp] = [`msg_${randomUUID()}`, Math.floor(Date.now() / secondMs)];
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signaturesOf([key], { id, timestamp, content: body }),
  };
  const began = performance.now();
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(forwardMaxMs), stopping]);
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal });
    await answer.body?.cancel();
    const took = `in ${Math.round(performance.now() - began)} ms`;
    return answer.ok
      ? `${answer.status} ${took}`
      : `${answer.status} ${took}: a webhook that answers so is asked again`;
  } catch (fault) {
    return `no answer (${reasonOf(fault)})`;
  }
}

/** The gateway is not there, or about to stop. */
function isPassing({ kind, problem }: Failure): boolean {
  return (
    kind === 'unreachable' || (problem !== undefined && word(toRow(JSON.parse(problem)), 'code') === 'unavailable')
  );
}

/** The code of a network error, which fetch has as its cause; or the name of a time-out. */
function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return 'failed';
  const { cause } = fault;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : fault.name;
  // The words that our HTTP client has for itself say nothing to anybody.
  return code.startsWith('UND_ERR_') ? 'it closed the connection, or answered what is no HTTP' : code;
}

function lineOf(event: Row): string {
  const id = word(event, 'msgId');
  switch (word(event, 'type')) {
    case 'inbound': {
      const isWhole = word(event, 'complete') === 'true' ? '' : ', incomplete';
      const content = word(event, 'dcs') === 'BIN' ? word(event, 'data') : `"${word(event, 'text')}"`;
      return `${word(event, 'receivedTime')}  inbound  ${id}  ${word(event, 'sender')} -> ${word(event, 'receiver')}${isWhole}  ${content}`;
    }
    case 'receipt': {
      const errorCode = word(event, 'errorCode');
      return `${word(event, 'dlrTime')}  receipt  ${id}  ${word(event, 'event')}${errorCode === '' ? '' : ` (${errorCode})`}`;
    }
    default: {
      const currency = word(event, 'clientCurrency');
      return `${word(event, 'time')}  alert    ${word(event, 'alert')}: ${word(event, 'clientBalance')} ${currency}, below ${word(event, 'threshold')} ${currency}`;
    }
  }
}
