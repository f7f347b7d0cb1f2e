import { toMessageId } from '../base/message-id.ts';
import type { NotificationContent } from './notification.ts';
import type { NotificationKind } from '@morsel/api/values/notification.ts';
import { sampleEcho } from '@morsel/api/values/message.ts';
import { toMicros } from '@morsel/api/values/money.ts';
import type { Instant } from '@morsel/api/values/time.ts';

/* Sample events for the command `webhook test`, with every field of their kind. Numbers and ids belong to no account. */

const msgId = toMessageId(1);
const sender = '+10000000000';
const receiver = '+10000000001';

export function sampleOf(
  kind: NotificationKind,
  { now, currency }: { readonly now: Instant; readonly currency: string },
): NotificationContent {
  switch (kind) {
    case 'inbound':
      return {
        kind,
        msgId,
        sender,
        receiver,
        text: 'This is a test.',
        octets: null,
        header: null,
        dcs: 'GSM',
        numParts: 1,
        receivedAt: now,
        complete: true,
      };
    case 'receipt':
      return {
        kind,
        msgId,
        sender,
        receiver,
        event: 'delivered',
        eventAt: now,
        errorCode: '000',
        numParts: 1,
        deliveredParts: 1,
        sendTime: now,
        ...sampleEcho,
      };
    case 'alert': {
      const [threshold, balance] = [toMicros(10_000_000n), toMicros(9_990_000n)];
      return { kind, alert: 'low-balance', threshold, balance, currency, at: now };
    }
  }
}
