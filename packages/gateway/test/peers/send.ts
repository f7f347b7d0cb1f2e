import { Shown } from './program.ts';
import type { Program } from './program.ts';

export interface Sent {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Shown;
}

/** Sends one message as a client does. Rejects when the connection ends without an answer. */
export async function send(program: Program, message: { token: string; number: number; text: string }): Promise<Sent> {
  const response = await fetch(program.url('/sms/send'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: message.token,
      sender: '+41791112233',
      receiver: `+4179${String(message.number).padStart(7, '0')}`,
      text: message.text,
      dcs: 'GSM',
    }),
  });
  const body = new Shown(await response.json());
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
}
