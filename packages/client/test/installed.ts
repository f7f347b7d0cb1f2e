import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The environment of child processes, without the variables of an npm that may have started this process. */
function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_TEST|NODE_OPTIONS|MORSEL_)/i.test(name),
  );
  return { ...Object.fromEntries(inherited), ...more };
}

/** An empty folder. At the end of the test, it is removed, and programs that were started in it are ended. */
export class Folder implements AsyncDisposable {
  readonly path = mkdtempSync(join(tmpdir(), 'morsel-client-'));
  readonly #children: ChildProcess[] = [];

  /** Runs a program to its end. Returns its output; throws its error output if it failed. */
  run(program: string, words: readonly string[], options: { readonly cwd?: string } = {}): string {
    const { cwd = this.path } = options;
    const { status, stdout, stderr, error } = spawnSync(program, words, { cwd, env: environment(), encoding: 'utf8' });
    if (error) throw error;
    if (status !== 0) throw new Error(`${program} ${words.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Starts a program with the Node of this process. */
  start(words: readonly string[], variables: Readonly<Record<string, string>>): Started {
    const child = spawn(process.execPath, words, { cwd: this.path, env: environment(variables) });
    this.#children.push(child);
    return new Started(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await Promise.all(
      this.#children.map(
        (child) =>
          new Promise((resolve) =>
            child.exitCode === null && child.signalCode === null ? child.once('exit', resolve) : resolve(null),
          ),
      ),
    );
    rmSync(this.path, { recursive: true, force: true });
  }
}

class Started {
  out = '';
  errors = '';
  readonly ended: Promise<number | null>;

  constructor(child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => void (this.out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => void (this.errors += chunk.toString()));
    this.ended = new Promise((resolve) => void child.once('close', resolve));
  }
}
