/* Judges inbound messages and notifications. */

import type { Seen } from './seen.ts';
import type { Told } from './told.ts';

export function judgeInbound({ carriers, accounts, got }: Seen, { inbound, texts }: Told): string[] {
  const broken: string[] = [];
  const sent = carriers.flatMap((carrier) => carrier.inbound);
  const stored = inbound.map(({ msgId, complete }) => ({ text: texts.get(msgId), complete }));
  for (const { pieces, missing, deliveries } of sent) {
    const whole = pieces.join('');
    for (const [at, { acknowledgedAt, isAfterCommit }] of deliveries.entries()) {
      const piece = pieces[at] ?? '';
      if (isAfterCommit === false) broken.push(`O1: inbound ${piece} is acknowledged before a commit`);
      if (acknowledgedAt !== undefined && !stored.some(({ text }) => text === undefined || text.includes(piece)))
        broken.push(`O1: inbound ${piece} is acknowledged, and lost`);
    }
    for (const { text, complete } of stored) {
      if (text === undefined || !pieces.some((piece) => text.includes(piece))) continue;
      if (complete && text !== whole) broken.push(`O3: inbound ${whole} counts as complete: ${text}`);
      if (!complete && missing === undefined) broken.push(`O3: inbound ${whole} counts as incomplete: ${text}`);
    }
  }
  for (const { text } of stored) {
    if (text === undefined || sent.some(({ pieces }) => pieces.some((piece) => text.includes(piece)))) continue;
    broken.push(`O4: inbound ${text} was never sent`);
  }
  for (const { msgId, account, delivery } of inbound) {
    if (account === null || delivery !== 'delivered') continue;
    const text = texts.get(msgId);
    const isHeardOverSmpp = got.some((each) => each.isTaken && each.id === undefined && each.text === text);
    const isHeard = accounts.some(({ ear }) =>
      ear.heard.some(
        ({ notification, isAnswered }) => isAnswered && notification.kind === 'inbound' && notification.msgId === msgId,
      ),
    );
    if (!isHeard && !isHeardOverSmpp) broken.push(`O2: inbound ${msgId} counts as delivered, and nobody heard it`);
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
