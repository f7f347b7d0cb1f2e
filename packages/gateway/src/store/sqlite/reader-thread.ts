import { parentPort, workerData } from 'node:worker_threads';
import { transferredWith, views } from '../views/views.ts';
import type { ViewName } from '../views/views.ts';
import type { PlaceOf } from '../writer.ts';
import { openForReading } from './database.ts';

/* The thread that reads, in short snapshots, so that a read never waits for a group that is being written. */

export interface Question {
  readonly id: number;
  readonly view: ViewName;
  readonly input: unknown;
}

export type ReaderReply =
  | { readonly id: number; readonly ok: true; readonly answer: unknown }
  | { readonly id: number; readonly ok: false; readonly reason: string };

function start({ file }: PlaceOf<'sqlite'>): void {
  const port = parentPort;
  if (!port) throw new Error('this file runs as a worker thread');
  const ask = views(openForReading(file));
  port.on('message', (question: Question) => {
    let reply: ReaderReply;
    try {
      reply = { id: question.id, ok: true, answer: ask(question.view, question.input) };
    } catch (fault) {
      reply = { id: question.id, ok: false, reason: fault instanceof Error ? fault.message : 'unknown fault' };
    }
    port.postMessage(reply, reply.ok ? transferredWith(question.view, reply.answer) : []);
  });
}

const place: PlaceOf<'sqlite'> = workerData;
start(place);
