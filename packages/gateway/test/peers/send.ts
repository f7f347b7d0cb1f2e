import { Shown } from './program.ts';
import type { Program } from './program.ts';

export interface Sent {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Shown;
}

interface Message {
  readonly token: string;
  /** Makes the receiver. */
  readonly number: number;
  readonly text: string;
  readonly dcs?: 'GSM' | 'UCS';
}

/** Sends one message as a client does. Rejects when the connection ends without an answer. */
export async function send(program: Program, { token, number, text, dcs = 'GSM' }: Message): Promise<Sent> {
  const response = await fetch(program.url('/sms/send'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      auth: token,
      sender: '+41791112233',
      receiver: `+4179${String(number).padStart(7, '0')}`,
      text,
      dcs,
    }),
  });
  const body = new Shown(await response.json());
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
}
