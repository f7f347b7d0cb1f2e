/* Judges the receipts that webhooks and sessions of clients heard. */

import { parseMessageId } from '../../../src/core/base/message-id.ts';
import { idOf } from '../clients/clients.ts';
import type { Seen, SeenAccount } from './seen.ts';
import type { Told } from './told.ts';

export function judgeNotified(seen: Seen, { messages }: Told): string[] {
  const broken: string[] = [];
  // What a client sent over SMPP has the receipts that it asked for, from a session or from the webhook.
  const ofSessions = new Map<number, number>(
    seen.sent.flatMap((message) => {
      const id = idOf(message);
      return id === undefined || message.receipts === undefined ? [] : [[id, message.receipts]];
    }),
  );
  for (const account of seen.accounts) {
    const { name } = account;
    const events = eventsOf(account);
    const overSmpp = new Set<number>(
      seen.got.flatMap((got) =>
        got.account === account.id && got.isTaken ? (parseMessageId(got.id ?? '') ?? []) : [],
      ),
    );
    for (const id of [...events.keys(), ...overSmpp])
      if (!messages.has(id)) broken.push(`O2: ${name} heard of message ${id}, which is unknown`);
    for (const { msgId, account: owner, event } of messages.values()) {
      if (owner !== name) continue;
      const heard = events.get(msgId) ?? [];
      const receipts = ofSessions.get(msgId);
      const isWanted = receipts === undefined || receipts === 1 || receipts === (event === 'delivered' ? 3 : 2);
      const isHeard = heard.includes(event) || overSmpp.has(msgId) || !isWanted;
      if (!isHeard)
        broken.push(`D6: message ${msgId} ended as ${event}, and ${name} heard ${heard.join() || 'nothing'}`);
    }
  }
  return broken;
}

/** The events of each message that a webhook heard and acknowledged. */
function eventsOf({ ear }: SeenAccount): Map<number, string[]> {
  const events = new Map<number, string[]>();
  for (const { notification, isAnswered } of ear.heard) {
    if (notification.kind !== 'receipt' || !isAnswered) continue;
    const before = events.get(notification.msgId) ?? [];
    events.set(notification.msgId, [...before, notification.event]);
  }
  return events;
}
