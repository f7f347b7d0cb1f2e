/**
 * Fills the store of a data directory on which no gateway runs, with messages that were delivered:
 * `node bench/fill.ts DATA_DIR MESSAGES`. Each goes through the journal as one that a client sent would, so the store
 * holds every row that it would hold; only the network is left out.
 */
import { join } from 'node:path';
import { nextMessageId, toMessageId } from '../packages/gateway/src/core/message-id.ts';
import { toMicros } from '../packages/gateway/src/core/money.ts';
import type { Settings } from '../packages/gateway/src/core/snapshot.ts';
import { hourMs, minuteMs } from '../packages/gateway/src/core/time.ts';
import type { Accept } from '../packages/gateway/src/store/commands.ts';
import { Journal } from '../packages/gateway/src/store/journal.ts';
import { Reader } from '../packages/gateway/src/store/reader.ts';

/** Messages that are on their way together: as many as a group of the journal takes. */
const batch = 2_000;
/** The messages are spread evenly over this time before now, as the ids of a busy day are. */
const spanMs = 24 * hourMs;
const endedBeforeMs = minuteMs;
const validityMs = 48 * hourMs;

interface Filling {
  readonly journal: Journal;
  readonly settings: Settings;
  readonly lease: number;
  readonly begin: number;
  readonly total: number;
}

async function fill(dataDir: string, total: number): Promise<void> {
  const file = join(dataDir, 'morsel.db');
  await using journal = await Journal.open({ file, onFatal: fail, onFault: fail });
  await using reader = new Reader({ file, onFault: fail });
  const now = Date.now();
  const settings = await reader.ask('settings', now);
  const begun = await journal.append<'begin'>({ kind: 'begin', at: now });
  if (!settings.ok || !begun.ok) throw new Error('the store cannot be read');
  const { lease } = begun.value;
  const filling: Filling = {
    journal,
    settings: settings.value,
    lease,
    begin: now - endedBeforeMs - spanMs,
    total,
  };
  let id = toMessageId(0);
  for (let done = 0; done < total; done += batch) {
    const commands = Array.from({ length: Math.min(batch, total - done) }, (_none, index) => {
      const at = Math.floor(filling.begin + ((done + index) / total) * spanMs);
      id = nextMessageId(id, at, 0);
      return acceptCommand(filling, { number: done + index, at, id });
    });
    await Promise.all(commands.map((command) => journal.append<'accept'>(command).then(check)));
    await Promise.all(commands.map((command) => answer(filling, command)));
    await Promise.all(commands.map((command) => deliver(filling, command)));
  }
}

function acceptCommand(
  { settings, lease }: Filling,
  { number, at, id }: { number: number; at: number; id: Accept['id'] },
): Accept {
  const [account] = settings.accounts;
  const [carrier] = settings.carriers;
  const [route] = settings.routes;
  const [list] = settings.priceLists;
  if (!account || !carrier || !route || !list) throw new Error('the data directory is not set up');
  const unitPrice = toMicros(7_500n);
  return {
    kind: 'accept',
    at,
    id,
    account: account.id,
    source: 'http',
    sender: '+41791112233',
    receiver: `+4178${String(number % 10_000_000).padStart(7, '0')}`,
    dcs: 'GSM',
    encoding: 'gsm7',
    text: 'Hello your code is 123456',
    numParts: 1,
    clientRef: null,
    priority: 0,
    route: route.id,
    expiresAt: at + validityMs,
    priceList: list.id,
    priceVersion: list.version,
    unitPrice,
    totalCost: unitPrice,
    claim: { carrier: carrier.id, link: 1, lease },
  };
}

/** Ids of the carrier of these messages begin where those of the measured ones never come. */
const firstCarrierId = 1_000_000_000_000;

function carrierIdOf(command: Accept): string {
  return String(firstCarrierId + command.id);
}

async function answer({ journal, lease }: Filling, command: Accept): Promise<void> {
  const carrierId = carrierIdOf(command);
  check(
    await journal.append<'outcome'>({
      kind: 'outcome',
      at: command.at + 5,
      message: command.id,
      part: 1,
      attempt: 1,
      carrier: command.claim?.carrier ?? 0,
      lease,
      outcome: 'accepted',
      commandStatus: 0,
      errorCode: null,
      carrierId,
      carrierIdKey: carrierId,
    }),
  );
}

async function deliver({ journal }: Filling, command: Accept): Promise<void> {
  const carrierId = carrierIdOf(command);
  check(
    await journal.append<'receipt'>({
      kind: 'receipt',
      at: command.at + 10,
      carrier: command.claim?.carrier ?? 0,
      carrierId,
      carrierIdKey: carrierId,
      state: 'DELIVERED',
      errorCode: '000',
      sender: command.sender,
      receiver: command.receiver,
    }),
  );
}

function fail(reason: string): never {
  throw new Error(reason);
}

function check(result: { readonly ok: boolean }): void {
  if (!result.ok) throw new Error('the store refused a message');
}

const [dataDir, messages] = process.argv.slice(2);
if (dataDir === undefined || messages === undefined) throw new Error('node bench/fill.ts DATA_DIR MESSAGES');
await fill(dataDir, Number(messages));
