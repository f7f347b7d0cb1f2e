import assert from 'node:assert/strict';
import { Shown } from '../support/json.ts';
import type { GatewayProcess } from '../support/gateway/gateway-process.ts';

export interface Sent {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Shown;
}

interface Message {
  readonly token: string;
  /** The number from which the receiver's digits are made. */
  readonly number: number;
  readonly text: string;
  readonly dcs?: 'GSM' | 'UCS' | 'SMS';
  readonly flash?: boolean;
}

/** Sends one message over HTTP. Rejects if the connection ends without an answer. */
export async function send(
  program: GatewayProcess,
  { token, number, text, dcs = 'GSM', flash = false }: Message,
): Promise<Sent> {
  const response = await fetch(program.url('/sms/send'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: token,
      sender: '+41791112233',
      receiver: `+4179${String(number).padStart(7, '0')}`,
      text,
      dcs,
      flash,
    }),
  });
  const body = new Shown(await response.json());
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
}

/** Sends one message to each of these numbers, all at once. Each must be answered 200. Returns the messages' ids. */
export async function sendNumbers(
  program: GatewayProcess,
  token: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<string[]> {
  const numbers = Array.from({ length: to - from }, (_, at) => from + at);
  const sent = await Promise.all(numbers.map((number) => send(program, { token, number, text: `number ${number}` })));
  for (const { status } of sent) assert.equal(status, 200);
  return sent.map(({ body }) => body.text('msgId'));
}
