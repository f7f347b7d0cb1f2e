import assert from 'node:assert/strict';
import { operatorCalls } from '../../src/edge/admin/handlers.ts';
import type { Tour } from '../support/gateway/tour.ts';

/*
 * Traffic of three accounts over several links: sequences of messages to the same receivers, whose order is checked;
 * messages to receivers of their own, whose receipts identify them; and a few with another end.
 */

/** Each account has another refund policy; `acme` is the tour's. */
const accounts = [
  { name: 'acme', sender: '+41790000001', digits: '1' },
  { name: 'beta', sender: '+41790000002', digits: '2', refundPolicy: 'undelivered' },
  { name: 'gamma', sender: '+41790000003', digits: '3', refundPolicy: 'never' },
];

const lineLength = 16;
const aloneCount = 12;
/** Rejected or undelivered: several of those, so that some are in doubt before. */
const endings = ['9930', '9902', '9902', '9902', '9902', '9902'];
/** Never answered: in doubt each time it is sent. */
export const silent = '+41792009942';

interface Line {
  readonly token: string;
  readonly sender: string;
  readonly receivers: readonly string[];
}

/**
 * Sends everything, sequences beside each other, each in order. Half of it goes while the carrier is paused, so that
 * windows are full when it resumes. Returns the number of messages.
 */
export async function sendTraffic(tour: Tour, carrier: string): Promise<number> {
  const lines: Line[] = [{ token: tour.token, sender: '+41790000001', receivers: [silent] }];
  for (const { name, sender, digits, refundPolicy } of accounts) {
    const token = refundPolicy === undefined ? tour.token : await addAccount(tour, { name, refundPolicy });
    const to = (kind: number, serial: number) => `+4179${digits}${kind}0${String(serial).padStart(4, '0')}`;
    const alone = Array.from({ length: aloneCount }, (_, index) => to(3, 100 + index));
    const others = endings.map((ending, index) => to(4 + index, Number(ending)));
    for (const receivers of [lineTo(to(1, 1)), lineTo(to(2, 2)), [...alone, ...others]]) {
      lines.push({ token, sender, receivers });
    }
  }
  const { operator } = tour.gateway;
  assert.ok((await operatorCalls(operator).carrier.pause({ carrier })).ok);
  await sendLines(tour, lines, (line) => half(line, 0));
  const resumed = operatorCalls(operator).carrier.resume({ carrier });
  await sendLines(tour, lines, (line) => half(line, 1));
  assert.ok((await resumed).ok);
  return lines.reduce((sum, { receivers }) => sum + receivers.length, 0);
}

function lineTo(receiver: string): string[] {
  return Array.from({ length: lineLength }, () => receiver);
}

type Numbered = readonly (readonly [number: number, receiver: string])[];

function half({ receivers }: Line, which: 0 | 1): Numbered {
  const middle = Math.ceil(receivers.length / 2);
  return receivers
    .map((receiver, index) => [index + 1, receiver] as const)
    .filter(([number]) => number > middle === (which === 1));
}

async function sendLines(tour: Tour, lines: readonly Line[], pick: (line: Line) => Numbered): Promise<void> {
  const sending = lines.map(async (line, place) => {
    for (const [number, receiver] of pick(line)) {
      const text = `line ${place} number ${number}`;
      await tour.accept({ auth: line.token, sender: line.sender, receiver, text });
    }
  });
  await Promise.all(sending);
}

async function addAccount(
  tour: Tour,
  account: { readonly name: string; readonly refundPolicy: string },
): Promise<string> {
  const { operator } = tour.gateway;
  assert.ok((await operatorCalls(operator).account.add({ currency: 'EUR', balance: '100', ...account })).ok);
  const token = await operatorCalls(operator).token.add({ account: account.name });
  assert.ok(token.ok);
  return token.value.token;
}
