/* Judges inbound messages and notifications. */

import type { Seen } from './judge.ts';
import type { Told } from './told.ts';

export function judgeInbound({ carriers, accounts }: Seen, { inbound, texts }: Told): string[] {
  const broken: string[] = [];
  const sent = carriers.flatMap((carrier) => carrier.inbound);
  const stored = new Set(texts.values());
  for (const { text, acknowledgedAt, isAfterCommit } of sent) {
    if (isAfterCommit === false) broken.push(`O1: inbound ${text} is acknowledged before a commit`);
    if (acknowledgedAt !== undefined && !stored.has(text)) broken.push(`O1: inbound ${text} is acknowledged, and lost`);
  }
  const known = new Set(sent.map(({ text }) => text));
  for (const [id, text] of texts)
    if (text !== undefined && !known.has(text)) broken.push(`O4: inbound ${id} was never sent: ${text}`);
  for (const { msgId, account, delivery } of inbound) {
    if (account === null || delivery !== 'delivered') continue;
    const isHeard = accounts.some(({ ear }) =>
      ear.heard.some(
        ({ notification, isAnswered }) => isAnswered && notification.kind === 'inbound' && notification.msgId === msgId,
      ),
    );
    if (!isHeard) broken.push(`O2: inbound ${msgId} counts as delivered, and nobody heard it`);
  }
  for (const { name, ear } of accounts) {
    const ids = Map.groupBy(ear.heard, ({ notification }) => notification.id);
    for (const [id, tries] of ids) {
      const subjects = new Set(
        tries.map(({ notification }) => ('msgId' in notification ? String(notification.msgId) : '')),
      );
      if (subjects.size > 1) broken.push(`O2: notification ${id} of ${name} is about ${subjects.size} messages`);
    }
  }
  return broken;
}
