import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createInterface as createPrompt } from 'node:readline/promises';
import { environment } from '@morsel/gateway/config.ts';
import { describeBug } from '@morsel/gateway/runtime/bug.ts';
import { openOutput, unwrittenStatus, written } from './output.ts';
import { runProgram } from './program.ts';

/* Runs the program in a process: with its streams, signals and exit status. */

/** EX_SOFTWARE of sysexits.h: a fault of the program itself. */
const bugStatus = 70;

/** Runs the program with this process's words and streams, and ends the process when it is done. */
export async function main(): Promise<void> {
  // Without output, a command that runs until a signal is useless. Other commands end by themselves.
  const output = openOutput(process.stdout, () => void process.emit('SIGTERM'));
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', endOverBug);
  try {
    const status = await runProgram(process.argv.slice(2), {
      environment: environment(),
      print: output.print,
      printError: (text) => void process.stderr.write(text),
      isInteractive: process.stdout.isTTY,
      confirm: process.stdin.isTTY && process.stdout.isTTY ? confirm : undefined,
      readInput: readAll,
      readLines,
    });
    // Waits for a slow reader: unread output would be lost.
    const unwritten = await output.end();
    if (unwritten !== undefined) {
      const done = status === 0 ? '; what the command does is done, so do not simply repeat it' : '';
      process.stderr.write(`morsel: what was to be printed could not be written: ${unwritten}${done}\n`);
    }
    await written(process.stderr);
    process.exit(status === 0 && unwritten !== undefined ? unwrittenStatus : status);
  } catch (fault) {
    endOverBug(fault);
  }
}

/** The message of an error may quote a token or a text; its name and place are enough. */
function endOverBug(fault: unknown): never {
  process.stderr.write(`morsel: a bug: ${JSON.stringify(describeBug(fault))}\n`);
  process.exit(bugStatus);
}

/** Everything but yes means no, also the end of the input. */
async function confirm(question: string): Promise<boolean> {
  const prompt = createPrompt({ input: process.stdin, output: process.stderr });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  prompt.once('close', () => end(''));
  const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
  prompt.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

async function readAll(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* readLines(): AsyncGenerator<string> {
  // The system stops a background process that reads from its terminal.
  if (process.stdin.isTTY && isInBackground()) return;
  // Closing the terminal ends the input.
  process.stdin.on('error', () => undefined);
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity });
}

/** Whether another process group has the terminal (proc_pid_stat(5), fields 5 and 8); false where the system does not say. */
function isInBackground(): boolean {
  try {
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, 'x ')
      .split(' ');
    return group !== foreground;
  } catch {
    return false;
  }
}
