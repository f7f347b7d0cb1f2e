import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Load {
  readonly gateway: 'morsel' | 'kannel';
  readonly port: number;
  readonly token: string;
  readonly seconds: number;
  readonly connections: number;
  /** Requests a second at most; 0 for as many as are answered. */
  readonly rate: number;
}

/** What the clients saw. Every request had its end when this was counted. */
export interface Answers {
  readonly sent: number;
  /** With a status below 400. */
  readonly answered: number;
  readonly refused: number;
  /** Connections that failed, and answers that never came. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** wrk goes on for so long after the last request, for its answer. */
const graceSeconds = 2;

/** Sends on so many connections at once. */
export async function runWrk({ gateway, port, token, seconds, connections, rate }: Load): Promise<Answers> {
  const script = join(import.meta.dirname, 'load.lua');
  const duration = `${seconds + graceSeconds}s`;
  const url = `http://127.0.0.1:${port}`;
  const own = ['-t', '1', '-c', String(connections), '-d', duration, '--timeout', '30s', '-s', script, url];
  const forScript = [gateway, String(seconds), token, String(rate)];
  const { stdout } = await promisify(execFile)('wrk', [...own, '--', ...forScript]);
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
