/* What the runs of a simulation have shown, and what they never have. The lists come from the gateway's code. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds, type AnyResult, type Command } from '../../src/state/commands.ts';
import { refusals } from '../../src/edge/refusals.ts';
import { decisions } from '../../src/state/decide/operate.ts';
import { faultKinds, type FaultKind } from './faults.ts';
import type { Outcome } from '../../src/core/message/outcome.ts';

const outcomes = {
  accepted: true,
  busy: true,
  temporary: true,
  refused: true,
  in_doubt: true,
} satisfies { readonly [O in Outcome]: true };

const source = join(import.meta.dirname, '../../src');
const inside = globSync('{core,state,flow}/**/*.ts', {
  cwd: source,
  exclude: ['**/*.test.ts', 'core/base/rejection.ts'],
})
  .map((file) => readFileSync(join(source, file), 'utf8'))
  .join('\n');
/** Whether a refusal arises behind the edge. */
const isInside = (code: string) => inside.includes(`code: '${code}'`);

const subjects = {
  command: kinds,
  operation: Object.keys(decisions),
  refusal: Object.keys(refusals).filter(isInside),
  outcome: Object.keys(outcomes),
  fault: faultKinds,
} as const;
type Subject = keyof typeof subjects;

/** What no run shows, and why: at most ten. The keys are those of the counts. */
const exceptions: ReadonlyMap<string, string> = new Map([
  ['command show-rule', 'carriers write the same ids in their answers and receipts'],
  ['refusal too_many_tries', 'nobody guesses passwords of operators'],
]);
const atTheEdge = Object.keys(refusals).filter((code) => !isInside(code));

/** Counts what occurs in a run. The key of a count is a subject and a name, such as `command accept`. */
export class Counts {
  readonly all = new Map<string, number>();

  /** An operation or a command counts if it was not refused. */
  command(command: Command, result: AnyResult): void {
    if (!result.ok) return;
    this.#count('command', command.kind);
    // If a settings file was applied, all of its steps were done.
    if (command.kind === 'together' && result.value && 'isDone' in result.value && result.value.isDone)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the steps are commands
      for (const step of command.steps as readonly Command[]) this.command(step, result);
    if (command.kind === 'operate') this.#count('operation', command.operation);
    if (command.kind === 'outcome') this.#count('outcome', command.outcome);
  }

  refusal(code: string): void {
    this.#count('refusal', code);
  }

  fault(kind: FaultKind): void {
    this.#count('fault', kind);
  }

  #count(subject: Subject, name: string): void {
    const key = `${subject} ${name}`;
    this.all.set(key, (this.all.get(key) ?? 0) + 1);
  }
}

/** What never occurred, although it should. */
export function missingIn(counts: ReadonlyMap<string, number>): string[] {
  const all = Object.entries(subjects).flatMap(([subject, names]) => names.map((name) => `${subject} ${name}`));
  return all.filter((key) => !counts.has(key) && !exceptions.has(key));
}

/** What occurred how often, what never occurred, and what need not occur. */
export function coverageText(counts: ReadonlyMap<string, number>): string {
  const lines = Object.keys(subjects).map((subject) => {
    const own = [...counts]
      .filter(([key]) => key.startsWith(`${subject} `))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return `${subject}s: ${own.map(([key, times]) => `${key.slice(subject.length + 1)} ${times}`).join(', ')}`;
  });
  lines.push(`never occurred: ${missingIn(counts).join(', ') || 'none'}`);
  for (const [key, why] of exceptions) lines.push(`${key} need not occur: ${why}`);
  lines.push(`refusals need not occur that arise while the edge reads a request: ${atTheEdge.join(', ')}`);
  return `${lines.join('\n')}\n`;
}
