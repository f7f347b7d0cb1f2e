/* What the scripts of this folder have in common: --help, what the machine must have, and a line of figures. */

import { missing, type ProgramName } from '../peers/needs.ts';
import { exitOnSignals } from '../support/ends-with-us.ts';

/** The status of a script that the machine cannot run, as with automake. */
export const skipStatus = 77;

export interface FaultScript {
  /** What the script does and proves, as `--help` prints it. */
  readonly about: string;
  readonly needs: readonly ProgramName[];
  /** Makes the fault. Returns figures, and a sentence for each thing that is lost, double or wrong. */
  readonly run: () => Promise<Outcome>;
}

export interface Outcome {
  readonly figures: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

const wrongMax = 20;

/** Runs a script as a program. It ends with 0 if all held, 1 if not, and 77 if the machine lacks something. */
export async function runFault({ about, needs, run }: FaultScript): Promise<never> {
  const absent = process.platform === 'linux' ? missing(...needs) : 'needs Linux';
  if (process.argv.includes('--help')) {
    process.stdout.write(`${about}\nNeeds Linux${needs.map((need) => `, ${need}`).join('')}.\n`);
    process.exit(0);
  }
  if (absent !== false) {
    process.stdout.write(`skipped: ${absent}\n`);
    process.exit(skipStatus);
  }
  exitOnSignals();
  const { figures, wrong } = await run();
  for (const sentence of wrong.slice(0, wrongMax)) process.stdout.write(`${sentence}\n`);
  const shown = Object.entries({ ...figures, wrong: wrong.length }).map(([name, figure]) => `${name} ${figure}`);
  process.stdout.write(`${shown.join(', ')}\n`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
