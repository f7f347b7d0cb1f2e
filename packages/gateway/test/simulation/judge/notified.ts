/* Judges the receipts that webhooks heard. */

import type { Ear } from '../ear.ts';
import type { Seen } from './seen.ts';
import type { Told } from './told.ts';

export function judgeNotified({ accounts }: Seen, { messages }: Told): string[] {
  const broken: string[] = [];
  for (const { name, ear } of accounts) {
    const heard = eventsOf(ear);
    for (const [id, events] of heard) {
      const message = messages.get(id);
      if (!message) broken.push(`O2: ${name} heard of message ${id}, which is unknown`);
      else if (!events.includes(message.event))
        broken.push(`D6: message ${id} ended as ${message.event}, and ${name} heard ${events.join()}`);
    }
    for (const { msgId, account, event } of messages.values())
      if (account === name && !heard.has(msgId))
        broken.push(`D6: ${name} never heard that message ${msgId} ended as ${event}`);
  }
  return broken;
}

/** The events of each message that a webhook heard and acknowledged. */
function eventsOf({ heard }: Ear): Map<number, string[]> {
  const events = new Map<number, string[]>();
  for (const { notification, isAnswered } of heard) {
    if (notification.kind !== 'receipt' || !isAnswered) continue;
    const before = events.get(notification.msgId) ?? [];
    events.set(notification.msgId, [...before, notification.event]);
  }
  return events;
}
