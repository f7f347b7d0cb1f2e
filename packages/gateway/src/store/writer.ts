/* What a writing thread does, whatever database it writes to. */

import type { MessagePort } from 'node:worker_threads';
import { applyGroup } from './apply.ts';
import type { Engine } from './apply.ts';
import type { AnyResult, Command } from './commands.ts';
import { packResults, unpack } from './packed.ts';
import type { Packed, PackedResults } from './packed.ts';
import type { FinishCheckpoint } from './sqlite/checkpoint-thread.ts';
import type { ListenEvent, NotificationNews } from './tables/notification.ts';

/** Where the store is: a file of SQLite, or a database of PostgreSQL. */
export type StorePlace =
  | {
      readonly kind: 'sqlite';
      readonly file: string;
      /** A database is expected: an empty or missing file is refused. */
      readonly isExpected: boolean;
    }
  | {
      readonly kind: 'postgres';
      /** It may contain a password. */
      readonly url: string;
      /** The name of this node. */
      readonly name: string;
    };

export type PlaceOf<K extends StorePlace['kind']> = Extract<StorePlace, { readonly kind: K }>;

export type ToWriter =
  | { readonly kind: 'group'; readonly commands: Packed<Command> }
  | FinishCheckpoint
  /** Report events of these accounts, and no others. */
  | { readonly kind: 'listen'; readonly accounts: readonly number[] }
  | { readonly kind: 'close' };

export type FromWriter =
  | ({ readonly kind: 'opened' } & Durability)
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'applied';
      readonly results: PackedResults<AnyResult>;
      readonly faults: readonly string[];
      /** Why the disk took nothing; null if it did. */
      readonly noRoom: string | null;
      readonly news: readonly NotificationNews[];
      readonly listenEvents: readonly ListenEvent[];
    }
  /** The database does not answer, or answers again. */
  | { readonly kind: 'away'; readonly isAway: boolean }
  /** The database is without commits that it had answered. */
  | { readonly kind: 'lost'; readonly groups: number }
  /** The data on disk cannot be trusted: the process must end. */
  | { readonly kind: 'fatal'; readonly reason: string }
  | { readonly kind: 'closed' };

/** How safe a commit is, in the words of the database. */
export interface Durability {
  /** 2 is FULL: every commit is on disk before it returns. */
  readonly synchronous: number;
  readonly journalMode: string;
  /** What makes the database less safe than it should be, as sentences for the operator. */
  readonly warnings: readonly string[];
}

interface Writing {
  readonly port: MessagePort;
  readonly engine: Engine;
  /** What is kept of a fault: never a value. */
  readonly describe: (fault: unknown) => string;
  readonly finishCheckpoint?: (message: FinishCheckpoint) => void;
}

/** Answers the messages of the journal, one after the other: nothing comes between the statements of a group. */
export function writeFor({ port, engine, describe, finishCheckpoint }: Writing): void {
  const say = (message: FromWriter) => port.postMessage(message);
  const handle = async (message: ToWriter): Promise<void> => {
    switch (message.kind) {
      case 'group':
        say(await applied(unpack(message.commands), engine, describe));
        return;
      case 'finish-checkpoint':
        finishCheckpoint?.(message);
        return;
      case 'listen':
        engine.listen(message.accounts);
        return;
      case 'close':
        await engine.close();
        say({ kind: 'closed' });
        port.close();
    }
  };
  let last = Promise.resolve();
  port.on('message', (message: ToWriter) => {
    last = last.then(() => handle(message)).catch((fault: unknown) => say({ kind: 'fatal', reason: describe(fault) }));
  });
}

/** Applies a group. The answer has its results, and what others have to know of it. */
async function applied(
  commands: readonly Command[],
  engine: Engine,
  describe: Writing['describe'],
): Promise<FromWriter> {
  const faults: string[] = [];
  let noRoom: string | null = null;
  const news: NotificationNews[] = [];
  const listenEvents: ListenEvent[] = [];
  const results = await applyGroup(engine, commands, {
    fault: (fault) => faults.push(describe(fault)),
    noRoom: (fault) => (noRoom = describe(fault)),
    applied: (rows) => {
      news.push(...rows.news.values());
      listenEvents.push(...rows.listenEvents);
    },
  });
  return { kind: 'applied', results: packResults(results), faults, noRoom, news, listenEvents };
}
