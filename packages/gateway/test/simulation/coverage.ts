/* What the runs of a simulation have shown, and what they never have. The lists come from the gateway's code. */

import { problems } from '@morsel/api/problems.ts';
import { kinds, type AnyResult, type Command } from '../../src/state/commands.ts';
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

const subjects = {
  command: kinds,
  operation: Object.keys(decisions),
  refusal: Object.keys(problems),
  outcome: Object.keys(outcomes),
  fault: faultKinds,
} as const;
type Subject = keyof typeof subjects;

/** What no run shows, and why. The keys are those of the counts. */
const exceptions: ReadonlyMap<string, string> = new Map();

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

/** What occurred how often, what never occurred, and what need not occur. */
export function coverageText(counts: ReadonlyMap<string, number>): string {
  const lines: string[] = [];
  for (const [subject, names] of Object.entries(subjects)) {
    const times = (name: string) => counts.get(`${subject} ${name}`) ?? 0;
    const missing = names.filter((name) => times(name) === 0 && !exceptions.has(`${subject} ${name}`));
    const seen = names.filter((name) => times(name) > 0).map((name) => `${name} ${times(name)}`);
    lines.push(`${subject}s: ${seen.join(', ')}`, `${subject}s that never occurred: ${missing.join(', ') || 'none'}`);
  }
  for (const [key, why] of exceptions) lines.push(`${key} need not occur: ${why}`);
  return `${lines.join('\n')}\n`;
}
