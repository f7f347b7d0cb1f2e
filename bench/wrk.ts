/* Runs wrk, the HTTP load generator, and reads its counts. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';

export interface Load {
  readonly gateway: 'morsel' | 'kannel';
  readonly port: number;
  /** Of the accounts, which take turns. */
  readonly tokens: readonly string[];
  /** Loads at the same time have different numbers, from 0 to 9, and so different receivers. */
  readonly loader?: number;
  readonly seconds: number;
  readonly connections: number;
  /** Most requests a second; 0 for no limit. */
  readonly rate: number;
}

/** The counts of the clients, after all requests have ended. */
export interface Answers {
  readonly sent: number;
  /** Answers with a status below 400. */
  readonly answered: number;
  readonly refused: number;
  /** Failed connections, and missing answers. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** How long wrk waits for the answer to the last request. */
const graceSeconds = 2;

/** Runs wrk over `connections` connections at the same time. */
export async function runWrk(load: Load): Promise<Answers> {
  const { gateway, port, tokens, loader = 9, seconds, connections, rate } = load;
  return await wrk({ script: 'load.lua', threads: 1, connections, maxSeconds: seconds + graceSeconds, port }, [
    gateway,
    String(seconds),
    String(rate),
    String(loader),
    ...tokens,
  ]);
}

interface Run {
  readonly script: string;
  readonly threads: number;
  readonly connections: number;
  readonly maxSeconds: number;
  readonly port: number;
}

async function wrk(run: Run, forScript: readonly string[]): Promise<Answers> {
  const script = join(import.meta.dirname, run.script);
  const threads = ['-t', String(run.threads), '-c', String(run.connections)];
  const own = [...threads, '-d', `${run.maxSeconds}s`, '--timeout', '30s', '-s', script];
  const running = promisify(execFile)('wrk', [...own, `http://127.0.0.1:${run.port}`, '--', ...forScript]);
  endsWithUs(running.child);
  const { stdout } = await running;
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`wrk said no result: ${stdout}`);
  const counts = new Map<string, unknown>(Object.entries(JSON.parse(result)));
  const count = (name: string) => Number(counts.get(name));
  return {
    sent: count('sent'),
    answered: count('answered'),
    refused: count('refused'),
    broken: count('broken'),
    p50Ms: count('p50') / 1_000,
    p99Ms: count('p99') / 1_000,
  };
}
