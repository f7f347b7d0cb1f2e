import { ok, refused } from '@morsel/api/values/result.ts';
import { parseMessageId } from '../../../../core/base/message-id.ts';
import { readInboundFilter, replayInbound } from '../../../../operator/message/replay.ts';
import type { Handlers } from '../../bind.ts';

export const inboundHandlers: Handlers<'inbound'> = {
  list: async (needs, { after, limit, ...filter }) => {
    const wanted = await readInboundFilter(needs, filter);
    return wanted.ok ? needs.reader.ask('inbound', { ...wanted.value, order: 'newest', after, limit }) : wanted;
  },
  show: async (needs, { id }) => {
    const msgId = parseMessageId(id);
    const found = msgId === undefined ? ok(undefined) : await needs.reader.ask('inboundMessage', msgId);
    if (!found.ok) return found;
    return found.value ? ok(found.value) : refused({ code: 'message_not_found' });
  },
  replay: replayInbound,
};
