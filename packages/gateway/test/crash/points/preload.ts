/*
 * Kills the process at the n-th pass of a point: `CRASH_POINT` is `name#n`. Loaded with `--import` before a gateway, in
 * each of its threads. Each thread counts for itself. The WAL seems 8 MiB longer than it is, so that the checkpoint
 * thread also asks for the restart of a WAL.
 */

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { DatabaseSync, StatementSync } from 'node:sqlite';

const [wantedName, wantedPass] = (process.env['CRASH_POINT'] ?? '').split('#');
let passes = 0;

function pass(name: string): void {
  if (name !== wantedName) return;
  passes += 1;
  if (passes === Number(wantedPass)) process.kill(process.pid, 'SIGKILL');
}

type Method = (this: unknown, ...values: unknown[]) => unknown;

/** Wraps a method. `nameOf` names the step of a call; undefined if the call is no step. */
function wrap(object: object, method: string, nameOf: (self: unknown, value: unknown) => string | undefined): void {
  const original: Method = Reflect.get(object, method);
  const wrapped: Method = function (...values) {
    const name = nameOf(this, values[0]);
    if (name === undefined) return original.apply(this, values);
    pass(`before ${name}`);
    const result = original.apply(this, values);
    pass(`after ${name}`);
    return name === 'noop' || name === 'passive' ? longer(result) : result;
  };
  Reflect.set(object, method, wrapped);
}

/** The answer of a checkpoint, as if its WAL had 2,048 pages more. */
function longer(answer: unknown): unknown {
  const { log, checkpointed } = Object(answer);
  return log > 0 ? { log: log + 2_048, checkpointed: checkpointed + 2_048 } : answer;
}

function stepOf(sql: unknown): string | undefined {
  if (sql === 'commit') return 'commit';
  return /^pragma wal_checkpoint\((noop|passive|restart|truncate)\)$/.exec(String(sql))?.[1];
}

function chunkOf(socket: unknown, chunk: unknown): string | undefined {
  // Standard output is a pipe, which has no port.
  if (!(socket instanceof Socket) || socket.remotePort === undefined) return undefined;
  const first: unknown = Array.isArray(chunk) ? chunk[0]?.chunk : chunk;
  const text = first instanceof Uint8Array ? Buffer.from(first).toString('latin1', 0, 5) : String(first);
  return text.startsWith('HTTP/') ? 'answer' : 'pdu';
}

const sourceOf = (statement: unknown) => stepOf(statement instanceof StatementSync ? statement.sourceSQL : '');
wrap(StatementSync.prototype, 'run', sourceOf);
wrap(StatementSync.prototype, 'get', sourceOf);
wrap(DatabaseSync.prototype, 'exec', (_database, sql) => stepOf(sql));
wrap(DatabaseSync.prototype, 'close', () => 'close');
wrap(Socket.prototype, '_write', chunkOf);
wrap(Socket.prototype, '_writev', chunkOf);
wrap(fs, 'fdatasyncSync', () => 'count');
syncBuiltinESMExports();
