import { runProgram } from '@morsel/cli/program.ts';

export interface MorselOptions {
  readonly dataDir: string;
  /** Settings, besides the data directory. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly input?: string | undefined;
  /** Answers a question as the operator does at a terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
}

/** Runs a command in this process, without `cli/src/main.ts`: many times faster than in a process of its own. */
export async function runMorsel(
  words: readonly string[],
  { dataDir, environment, input = '', confirm }: MorselOptions,
) {
  let out = '';
  let errors = '';
  const status = await runProgram(words, {
    environment: { MORSEL_DATA_DIR: dataDir, ...environment },
    print: (text) => void (out += text),
    printError: (text) => void (errors += text),
    isInteractive: false,
    confirm,
    readInput: () => Promise.resolve(input),
    async *readLines() {},
  });
  return { status, out, errors };
}
