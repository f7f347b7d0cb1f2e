import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/* Runs an installed Morsel as an operator would: nothing of this checkout is on its PATH or in its environment. */

/** The environment of this user, without the variables of npm, of the test runner and of a gateway. */
export function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_TEST|NODE_OPTIONS|NODE_COMPILE_CACHE|MORSEL_|NOTIFY_)/i.test(name),
  );
  return { ...Object.fromEntries(inherited), PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...more };
}

/** A folder that is removed at the end, after every program that was started with it has been killed. */
export class Place implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'morsel-install-'));
  readonly #children: ChildProcess[] = [];
  readonly #atEnd: (() => void)[] = [];

  /** Runs a program to its end, and returns its output. Throws if it fails. */
  run(
    program: string,
    words: readonly string[],
    { cwd = this.path, env = plainEnvironment() }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): string {
    const ended = spawnSync(program, words, { cwd, env, encoding: 'utf8', timeout: runMaxMs, maxBuffer: outputMax });
    if (ended.error) throw ended.error;
    if (ended.status !== 0) {
      throw new Error(`${program} ${words.join(' ')} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`);
    }
    return ended.stdout;
  }

  /** Starts a program. It is killed when the folder is removed, if it still runs. */
  start(
    program: string,
    words: readonly string[],
    { cwd = this.path, env = plainEnvironment() }: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Started {
    const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.push(child);
    return new Started(child);
  }

  atEnd(run: () => void): void {
    this.#atEnd.unshift(run);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => void child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    for (const run of this.#atEnd) run();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** No program of these tests needs longer on two busy cores, downloads included. */
const runMaxMs = 600_000;
const outputMax = 64 << 20;

interface Ready {
  readonly httpPort: number;
  readonly adminPort: number;
  readonly token?: string;
}

class Started {
  readonly #child: ChildProcess;
  readonly ended: Promise<number | null>;
  #errors = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => void (this.#errors += text));
    this.ended = new Promise((resolve) => void child.once('close', resolve));
  }

  /** The line that `serve --json` and `demo --json` print when they are ready. */
  async ready(): Promise<Ready> {
    if (!this.#child.stdout) throw new Error('the program has no output');
    for await (const line of createInterface({ input: this.#child.stdout })) {
      if (!line.startsWith('{"ready":true')) continue;
      this.#child.stdout.resume();
      const ready: Ready = JSON.parse(line);
      return ready;
    }
    throw new Error(`the gateway ended with ${await this.ended} before it was ready: ${this.#errors}`);
  }

  /** Stops the program with SIGTERM, and returns its exit status. */
  stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }
}

/** Sends a message with the token, and waits until the delivery report has a final event. */
export async function sendAndFollow(httpPort: number, token: string): Promise<{ msgId: string; event: string }> {
  const base = `http://127.0.0.1:${httpPort}/sms`;
  const message = { auth: token, sender: 'Morsel', receiver: '+41791112233', text: 'Hello', dcs: 'SMS' };
  const answer = await fetch(`${base}/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(answerMaxMs),
  });
  if (answer.status !== 200) throw new Error(`HTTP ${answer.status}: ${await answer.text()}`);
  const { msgId }: { readonly msgId: string } = JSON.parse(await answer.text());
  const until = AbortSignal.timeout(answerMaxMs);
  for (;;) {
    const report = await fetch(`${base}/dlr?auth=${token}&messageId=${msgId}`, { signal: until });
    const { event }: { readonly event: string } = JSON.parse(await report.text());
    if (['delivered', 'undelivered', 'rejected', 'expired', 'unknown'].includes(event)) return { msgId, event };
  }
}

const answerMaxMs = 60_000;
