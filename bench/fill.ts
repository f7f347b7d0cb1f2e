/**
 * Fills the store of a data directory with delivered messages: `node bench/fill.ts DATA_DIR MESSAGES [DAYS]`. No gateway may
 * run on the data directory. Each message goes through the journal like a client's message, but not through the network.
 */
import type { Command } from '../packages/gateway/src/store/commands.ts';
import { join } from 'node:path';
import { nextMessageId, toMessageId } from '@morsel/gateway/core/base/message-id.ts';
import { dayMs, minuteMs } from '@morsel/api/values/time.ts';
import { Journal } from '@morsel/gateway/store/journal.ts';
import { Reader } from '@morsel/gateway/store/reader.ts';
import { acceptCommand, idsOf, outcomeCommand, receiptCommand } from './message.ts';
import type { Moment } from './message.ts';
import { masterKeyName } from '@morsel/gateway/store/sealing/master-key.ts';

/** Messages in flight, as many as a group of the journal takes. */
const batch = 2_000;
const endedBeforeMs = minuteMs;

/** The messages are spread evenly over these days before now. */
async function fill(dataDir: string, total: number, days: number): Promise<void> {
  const spanMs = days * dayMs;
  const file = join(dataDir, 'morsel.db');
  const place = { kind: 'sqlite', file, isExpected: false, masterKey: join(dataDir, masterKeyName) } as const;
  await using journal = await Journal.open({ place, onFatal: fail, onFault: fail });
  await using reader = new Reader({ place, onFault: fail, onFatal: fail });
  const now = Date.now();
  const settings = await reader.ask('settings', now);
  const begun = await journal.append<'begin'>({ kind: 'begin', at: now });
  if (!settings.ok || !begun.ok) throw new Error('the store cannot be read');
  const ids = idsOf(settings.value, begun.value.lease);
  const keep = async (commands: readonly Command[]) => {
    const results = await Promise.all(commands.map((command) => journal.append(command)));
    if (results.some((result) => !result.ok)) throw new Error('the store refused a message');
  };
  const begin = now - endedBeforeMs - spanMs;
  let id = toMessageId(0);
  for (let done = 0; done < total; done += batch) {
    const moments = Array.from({ length: Math.min(batch, total - done) }, (_none, index): Moment => {
      const number = done + index;
      const at = Math.floor(begin + (number / total) * spanMs);
      id = nextMessageId(id, at, 0);
      return { id, at, receiver: `+4178${String(number % 10_000_000).padStart(7, '0')}` };
    });
    await keep(moments.map((moment) => acceptCommand(ids, moment)));
    await keep(moments.map((moment) => outcomeCommand(ids, moment)));
    await keep(moments.map((moment) => receiptCommand(ids, moment)));
  }
}

function fail(reason: string): never {
  throw new Error(reason);
}

const [dataDir, messages, days = '1'] = process.argv.slice(2);
if (dataDir === undefined || messages === undefined) throw new Error('node bench/fill.ts DATA_DIR MESSAGES [DAYS]');
await fill(dataDir, Number(messages), Number(days));
