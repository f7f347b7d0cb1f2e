import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalEntry } from '@morsel/simulator';
import { Child } from './child.ts';
import { waitUntil } from './wait-until.ts';

export type Submit = Extract<JournalEntry, { event: 'submit' }>;

const program = join(import.meta.dirname, 'carrier-program.ts');

/** The simulator in a process of its own. */
export class CarrierProcess implements AsyncDisposable {
  readonly #child: Child;
  readonly #journal: string;

  constructor(options: { readonly journal: string; readonly receiptDelayMs: number }) {
    this.#journal = options.journal;
    this.#child = new Child(program, { words: [options.journal, String(options.receiptDelayMs)] });
  }

  async port(): Promise<number> {
    return waitUntil(
      () => `a port of the carrier, which printed ${this.#child.output}${this.#child.errors}`,
      () => Number(/^\d+\n/.exec(this.#child.output)?.[0] ?? 0) || undefined,
    );
  }

  /** Every submit_sm that it has read, in order. */
  submits(): Submit[] {
    const submits: Submit[] = [];
    for (const line of readFileSync(this.#journal, 'utf8').split('\n')) {
      if (!line.includes('"event":"submit"')) continue;
      submits.push(submitFrom(JSON.parse(line)));
    }
    return submits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.end('SIGKILL');
  }
}

/** The journal is written by the program above, from values of this type. */
function submitFrom(line: Submit): Submit {
  return line;
}

/** Which part of its message this is, from its user data header (3GPP TS 23.040, 9.2.3.24.1). */
export function partNumber(submit: Submit): number {
  const udhi = 0x40;
  if ((submit.esm_class & udhi) === 0) return 1;
  const octets = Buffer.from(submit.hex ?? '', 'hex');
  if (octets[0] !== 5 || octets[1] !== 0 || octets[2] !== 3) throw new Error(`no concatenation header: ${submit.hex}`);
  return octets[5] ?? 0;
}
