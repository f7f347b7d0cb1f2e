import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createInterface as createPrompt } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { environment } from '@morsel/gateway/config.ts';
import { describeBug } from '@morsel/gateway/runtime/bug.ts';
import { openOutput, unwrittenStatus, written } from './output.ts';
import { runProgram } from './program.ts';

/* Connects the program with its process: arguments, streams, signals and exit status. */

/** The exit status after a bug in the program: EX_SOFTWARE of sysexits.h. */
const bugStatus = 70;

/** Runs the program, and ends the process. */
export async function main(): Promise<void> {
  // If standard output fails, a command that runs until a signal is stopped, because its output is lost.
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
      askSecret: process.stdin.isTTY ? askSecret : undefined,
      readInput: readAll,
      readLines,
    });
    // Waits until a slow reader has read all output, because `process.exit` would lose it.
    const unwritten = await output.end();
    if (unwritten !== undefined) {
      const done = status === 0 ? '; the command itself succeeded, so do not simply repeat it' : '';
      process.stderr.write(`morsel: the output could not be written: ${unwritten}${done}\n`);
    }
    await written(process.stderr);
    process.exit(status === 0 && unwritten !== undefined ? unwrittenStatus : status);
  } catch (fault) {
    endOverBug(fault);
  }
}

/** Ends the process after a bug, without the error's message, which may quote a token or an SMS text. */
function endOverBug(fault: unknown): never {
  const { report, ...bug } = describeBug(fault);
  process.stderr.write(`morsel: a bug: ${JSON.stringify({ at: new Date(), ...bug })}\nmorsel: ${String(report)}\n`);
  process.exit(bugStatus);
}

/** Asks a question. Every answer except y or yes means no, and so does the end of the input. */
async function confirm(question: string): Promise<boolean> {
  const prompt = createPrompt({ input: process.stdin, output: process.stderr });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  prompt.once('close', () => end(''));
  const answer = await Promise.race([prompt.question(`${question} [y/N] `), ended]);
  prompt.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

/** Asks for a secret without showing the typed text. The end of the input is an empty answer. */
async function askSecret(question: string): Promise<string> {
  process.stderr.write(question);
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createPrompt({ input: process.stdin, output: unseen, terminal: true });
  const { promise: ended, resolve: end } = Promise.withResolvers<string>();
  prompt.once('close', () => end(''));
  const answer = await Promise.race([prompt.question(''), ended]);
  prompt.close();
  process.stderr.write('\n');
  return answer.trim();
}

async function readAll(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* readLines(): AsyncGenerator<string> {
  // The operating system would stop a background process that reads from the terminal.
  if (process.stdin.isTTY && isInBackground()) return;
  // Reading fails when the terminal is closed. This counts as the end of the input.
  process.stdin.on('error', () => undefined);
  yield* createInterface({ input: process.stdin, crlfDelay: Infinity });
}

/** Compares fields 5 and 8 of proc_pid_stat(5). Returns false on systems without /proc. */
function isInBackground(): boolean {
  try {
    const [, , , group, , , foreground] = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, 'x ')
      .split(' ');
    return group !== foreground;
  } catch {
    return false;
  }
}
