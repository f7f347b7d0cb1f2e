import { environment } from '../config.ts';
import { describeBug } from '../edge/http/bugs.ts';
import { runProgram } from './program.ts';

/** EX_SOFTWARE of sysexits.h: a fault of the program itself. */
const bugStatus = 70;

/** Runs the program on this process's words and streams, and ends the process when it is done. */
export async function main(): Promise<void> {
  // Whoever reads us may stop reading, as head does: there is nobody left to tell.
  process.stdout.on('error', () => process.exit());
  process.on('uncaughtException', endOverBug);
  try {
    const status = await runProgram(process.argv.slice(2), {
      environment: environment(),
      print: (text) => void process.stdout.write(text),
      printError: (text) => void process.stderr.write(text),
      isInteractive: process.stdout.isTTY,
      readInput: readAll,
    });
    // What a slow reader of a long answer has not taken yet would be lost.
    await Promise.all([process.stdout, process.stderr].map(written));
    process.exit(status);
  } catch (fault) {
    endOverBug(fault);
  }
}

/** When all that was said has left. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** The message of a fault may quote a token or a text; its name and its place say enough. */
function endOverBug(fault: unknown): never {
  process.stderr.write(`morsel: a bug: ${JSON.stringify(describeBug(fault))}\n`);
  process.exit(bugStatus);
}

async function readAll(): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) if (chunk instanceof Uint8Array) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
