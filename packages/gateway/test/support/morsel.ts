import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { runProgram } from '@morsel/cli/program.ts';
import { waitUntil } from './wait-until.ts';

/* The command line for tests, against gateways and carriers that run, each in a process of its own. */

export const program = join(import.meta.dirname, '../../../cli/src/morsel.ts');
export const folder = mkdtempSync(join(tmpdir(), 'morsel-cli-'));
export const dataDir = join(folder, 'data');
export const readyMs = 20_000;

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly errors: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ready: Json;
  readonly ended: Promise<Ended>;
}

export type Json = { readonly [member: string]: unknown };

const children: ChildProcess[] = [];
// Whatever failed, nothing that was started outlives the tests.
after(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** What a process is started with beside the words; a variable that is undefined is not set. */
type Environment = { readonly [name: string]: string | undefined };

export function start(words: readonly string[], environment: Environment = {}, cwd = process.cwd()): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MORSEL_'));
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { ...Object.fromEntries(inherited), MORSEL_DATA_DIR: dataDir, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  children.push(child);
  return child;
}

export async function endOf(child: ChildProcess): Promise<Ended> {
  let out = '';
  let errors = '';
  child.stdout?.on('data', (chunk: Buffer) => void (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => void (errors += chunk.toString()));
  await once(child, 'close');
  return { status: child.exitCode, out, errors };
}

/** Runs a command in this process: all but what `cli/src/main.ts` does, and many times faster. */
export async function morsel(
  words: readonly string[],
  options: {
    readonly input?: string;
    readonly dataDir?: string;
    /** A person at a terminal. */
    readonly confirm?: (question: string) => Promise<boolean>;
  } = {},
): Promise<Ended> {
  let out = '';
  let errors = '';
  const status = await runProgram(words, {
    environment: { MORSEL_DATA_DIR: options.dataDir ?? dataDir },
    print: (text) => {
      out += text;
    },
    printError: (text) => {
      errors += text;
    },
    isInteractive: false,
    confirm: options.confirm,
    readInput: () => Promise.resolve(options.input ?? ''),
    async *readLines() {},
  });
  return { status, out, errors };
}

/** Runs a command as a process of its own. */
export async function morselAlone(words: readonly string[], input = ''): Promise<Ended> {
  const child = start(words);
  child.stdin?.end(input);
  return endOf(child);
}

/** What a command answers as JSON: one value, on one line, and nothing beside it. */
export async function answer(
  words: readonly string[],
  options: { readonly input?: string; readonly dataDir?: string } = {},
): Promise<unknown> {
  const { status, out, errors } = await morsel([...words, '--json'], options);
  assert.deepEqual([status, errors], [0, ''], `${words.join(' ')}: ${errors}`);
  assert.match(out, /^[^\n]+\n$/);
  return JSON.parse(out);
}

export function toJson(value: unknown): Json {
  assert.ok(typeof value === 'object' && value !== null);
  return { ...value };
}

/** Starts what runs until it is told to stop, and waits for its ready line. */
export async function running(
  words: readonly string[],
  environment: Environment = {},
  cwd = process.cwd(),
): Promise<Running> {
  const child = start([...words, '--json'], environment, cwd);
  const ended = endOf(child);
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    const tooLong = setTimeout(() => reject(new Error(`${words.join(' ')} is not ready`)), readyMs);
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes('\n')) return;
      clearTimeout(tooLong);
      resolve(text);
    });
    void ended.then(({ errors }) => reject(new Error(`${words.join(' ')} has ended: ${errors}`)));
  });
  return { child, ready: toJson(JSON.parse(line)), ended };
}

export async function stop({ child, ended }: Running, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  child.kill(signal);
  return ended;
}

/** Waits until every link of a carrier is bound. */
export async function bound(name: string, options: { readonly dataDir?: string } = {}): Promise<void> {
  await waitUntil(`the links of ${name} are bound`, async () => {
    const { linkStates } = toJson(await answer(['carrier', 'show', name], options));
    return Array.isArray(linkStates) && linkStates.every((link: unknown) => toJson(link)['state'] === 'bound');
  });
}

export const anyPorts = {
  MORSEL_HTTP_PORT: '0',
  MORSEL_ADMIN_PORT: '0',
  MORSEL_SMPP_PORT: '0',
  MORSEL_SIMULATOR_PORT: '0',
};
