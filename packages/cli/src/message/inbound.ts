import { inbound } from '@morsel/api/admin/message/inbound.ts';
import { refused } from '@morsel/api/values/result.ts';
import { commandsOf, runOperation, type Typed } from '../bind.ts';
import { usage, type Command, type Input, type Shell } from '../command.ts';

export const inboundCommands: readonly Command[] = commandsOf(inbound, {
  replay: {
    run: replay,
    options: [{ flags: '--all', summary: 'also replay messages that were already delivered' }],
  },
});

/**
 * A filter needs `--undelivered`, `--unmatched` or `--all`, because a client may not expect delivered messages again.
 */
async function replay({ ids, ...filter }: Typed, shell: Shell, { flags }: Input): ReturnType<Command['run']> {
  const isFew = 'unmatched' in filter || 'undelivered' in filter || flags.has('all');
  if (ids === undefined && !isFew && Object.keys(filter).some((each) => each !== 'reroute')) {
    return refused(usage('add --undelivered, or add --all to deliver messages again that were already delivered'));
  }
  const lines = ids?.split(/[\s,]+/).filter((id) => id !== '');
  return runOperation(inbound.operations.replay, { ...filter, ...(lines && { ids: lines.join('\n') }) }, shell);
}
