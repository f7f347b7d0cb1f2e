import { readInboundFilter, replayInbound } from '../../../../operator/message/replay.ts';
import type { Handlers } from '../../bind.ts';

export const inboundHandlers: Handlers<'inbound'> = {
  list: async (needs, { after, limit, ...filter }) => {
    const wanted = await readInboundFilter(needs, filter);
    return wanted.ok ? needs.reader.ask('inbound', { ...wanted.value, order: 'newest', after, limit }) : wanted;
  },
  replay: replayInbound,
};
