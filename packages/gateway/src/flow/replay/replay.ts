import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { hourMs, minuteMs, type Instant } from '@morsel/api/values/time.ts';
import { firstIdAt, instantOf, toMessageId } from '../../core/base/message-id.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import { Replay } from '../../core/routing/replay.ts';
import { buildSnapshot } from '../../core/snapshot.ts';
import type { Reader } from '../../store/reader.ts';
import type { AcceptedBetween } from '../../store/views/message/accepted.ts';
import { PriceTableCache } from '../price-tables.ts';
import { draftOf, type DraftStep } from './draft.ts';

/* Replays the messages of the last hour: reads them in pages, and routes them with the present and the changed settings. */

/** The most messages that are replayed. Of more messages, an even sample is replayed. */
const messagesMax = 200_000;
/** The most rows of a page: a few ms of the reading thread. */
const pageMax = 2_000;
/** The counts of minutes may lack the newest minute, and those of a node that died. Reading ends here at the latest. */
const readMax = 2;

export interface ReplayRequest {
  readonly steps: readonly DraftStep[];
  readonly at: Instant;
  /** The carriers with a bound link. A new carrier of the draft counts as bound. */
  readonly bound: readonly number[];
  /** Tests replay fewer messages. */
  readonly max?: number;
}

export interface Replayed extends Pick<
  Replay,
  'messages' | 'parts' | 'changedMessages' | 'places' | 'money' | 'examples'
> {
  readonly from: Instant;
  readonly to: Instant;
  /** How many messages were accepted in this time. A sample has fewer. */
  readonly accepted: number;
}

/** What the thread sends: why something failed, for the log, and at last its answer. */
export type FromReplay =
  | { readonly kind: 'fault'; readonly reason: string }
  | { readonly kind: 'done'; readonly answer: Result<Replayed, Rejection> };

export const failed = refused({ code: 'unavailable', detail: 'the replay failed: the log says why' } as const);

type Needs = Pick<Reader, 'ask'>;

export async function replayHour(reader: Needs, request: ReplayRequest): Promise<Result<Replayed, Rejection>> {
  const replay = await openReplay(reader, request);
  if (!replay.ok) return replay;
  const { at: to, max = messagesMax } = request;
  const from = to - hourMs;
  const counts = await reader.ask('acceptedCounts', from);
  if (!counts.ok) return counts;
  const counted = counts.value.reduce((sum, { messages }) => sum + messages, 0);
  const isSample = counted > max;
  const pages = isSample ? samplePages(counts.value, { from, to, max, counted }) : allPages({ from, to, max });
  const done = await readPages(reader, pages, replay.value);
  if (!done.ok) return done;
  const { messages, parts, changedMessages, places, money, examples } = replay.value;
  const accepted = isSample ? counted : messages;
  return ok({ from, to: done.value ?? to, accepted, messages, parts, changedMessages, places, money, examples });
}

async function openReplay(reader: Needs, { steps, at, bound }: ReplayRequest): Promise<Result<Replay, Rejection>> {
  const settings = await reader.ask('settings', at);
  if (!settings.ok) return settings;
  const present = { settings: settings.value, tables: await new PriceTableCache(() => reader).of(settings.value) };
  const draft = draftOf(present, steps, at);
  const links = new Set(bound);
  const isBound = (carrier: number) => carrier < 0 || links.has(carrier);
  const sideOf = (of: typeof present) => ({ snapshot: buildSnapshot(of.settings, of.tables), at, isBound });
  return ok(new Replay(sideOf(present), sideOf(draft)));
}

/** Makes the next page from the last message of the page before; undefined after the last page. */
type Pages = Generator<
  readonly AcceptedBetween[],
  Instant | undefined,
  { readonly count: number; readonly last: number }
>;

/** Replays page after page. The next page is read while messages are routed. Returns where reading ended, if too early. */
async function readPages(reader: Needs, pages: Pages, replay: Replay): Promise<Result<Instant | undefined, Rejection>> {
  let page = pages.next({ count: 0, last: 0 });
  let reading = page.done === true ? undefined : reader.ask('accepted', page.value);
  while (reading) {
    const read = await reading;
    if (!read.ok) return read;
    page = pages.next({ count: read.value.length, last: read.value.at(-1)?.id ?? 0 });
    reading = page.done === true ? undefined : reader.ask('accepted', page.value);
    for (const message of read.value) replay.add(message);
  }
  return ok(page.done === true ? page.value : undefined);
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
  readonly max: number;
}

function* allPages({ from, to, max }: Span): Pages {
  const before = firstIdAt(to);
  let after = firstIdAt(from) - 1;
  for (let read = 0; ;) {
    const { count, last } = yield [{ after, before, limit: pageMax }];
    if (count < pageMax) return undefined;
    read += count;
    after = last;
    if (read >= max * readMax) return instantOf(toMessageId(last));
  }
}

/** The most slices of a minute, and the least messages of a slice that has any. */
const slicesMax = 60;
const sliceMin = 10;

/** The first messages of each second, as many as the minute has its share of all messages. A small share has longer slices. */
function* samplePages(
  counts: readonly { readonly at: Instant; readonly messages: number }[],
  { from, to, max, counted }: Span & { readonly counted: number },
): Pages {
  const ofMinute = new Map(counts.map(({ at, messages }) => [at, messages]));
  let due = 0;
  for (let minute = Math.floor(from / minuteMs) * minuteMs; minute < to; minute += minuteMs) {
    // The newest minute has no count yet.
    const share = ((ofMinute.get(minute) ?? counted / counts.length) / counted) * max;
    const slices = Math.min(slicesMax, Math.max(1, Math.floor(share / sliceMin)));
    const sliceMs = minuteMs / slices;
    const between: AcceptedBetween[] = [];
    for (let slice = 0; slice < slices; slice++) {
      due += share / slices;
      const [begins, ends] = [minute + slice * sliceMs, minute + (slice + 1) * sliceMs];
      const limit = Math.floor(due);
      due -= limit;
      const [after, before] = [firstIdAt(Math.max(begins, from)) - 1, firstIdAt(Math.min(ends, to))];
      if (limit > 0 && after < before) between.push({ after, before, limit });
    }
    if (between.length > 0) yield between;
  }
  return undefined;
}
