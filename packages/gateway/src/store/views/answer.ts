/* The work of a reading thread, on any database. */

import type { MessagePort } from 'node:worker_threads';
import type { Queries } from './queries.ts';
import { readView, transferredWith, type ViewName } from './views.ts';

export interface AskedView {
  readonly id: number;
  readonly view: ViewName;
  readonly input: unknown;
}

export type ReaderReply =
  | { readonly id: number; readonly ok: true; readonly answer: unknown }
  /** `isAway` is true if the database does not answer. Otherwise the fault is a bug. */
  | { readonly id: number; readonly ok: false; readonly isAway: boolean; readonly reason: string };

interface Reading {
  readonly snapshot: (read: (queries: Queries) => Promise<unknown>) => Promise<unknown>;
  readonly isAway?: (fault: unknown) => boolean;
  /** Whether the database is damaged. Then the thread and the process must end. */
  readonly isFatal?: (fault: unknown) => boolean;
  readonly describe: (fault: unknown) => string;
}

export function answerQuestions(port: MessagePort, { snapshot, isAway, isFatal, describe }: Reading): void {
  port.on('message', ({ id, view, input }: AskedView) => {
    const say = (reply: ReaderReply) => port.postMessage(reply, reply.ok ? transferredWith(view, reply.answer) : []);
    snapshot((queries) => readView(queries, view, input)).then(
      (answer) => say({ id, ok: true, answer }),
      (fault: unknown) => {
        if (isFatal?.(fault) === true) throw fault;
        say({ id, ok: false, isAway: isAway?.(fault) === true, reason: describe(fault) });
      },
    );
  });
}
