import { readFileSync } from 'node:fs';
import type { JournalEntry } from '@morsel/simulator';
import { Child } from '../support/gateway/child.ts';

export type Submit = Extract<JournalEntry, { event: 'submit' }>;

/** The simulator in a process of its own, so that it survives a kill of the gateway. */
export class CarrierProcess extends Child {
  readonly #journal: string;

  constructor({ journal, receiptDelayMs }: { readonly journal: string; readonly receiptDelayMs: number }) {
    const times = ['--receipt-delay-ms', String(receiptDelayMs), '--retry-ms', '200'];
    super(['simulate', '--json', '--port', '0', '--journal', journal, '--journal-texts', ...times]);
    this.#journal = journal;
  }

  get port(): number {
    return Number(this.ready['port']);
  }

  /** Every submit_sm that the simulator has read, in order. */
  submits(): Submit[] {
    const submits: Submit[] = [];
    for (const line of readFileSync(this.#journal, 'utf8').split('\n')) {
      if (!line.includes('"event":"submit"')) continue;
      submits.push(submitFrom(JSON.parse(line)));
    }
    return submits;
  }
}

/** The simulator writes the journal from values of this type. */
function submitFrom(line: Submit): Submit {
  return line;
}

/** The number of this part in its message, from its user data header (3GPP TS 23.040, 9.2.3.24.1). */
export function partNumber(submit: Submit): number {
  const udhi = 0x40;
  if ((submit.esm_class & udhi) === 0) return 1;
  const octets = Buffer.from(submit.hex ?? '', 'hex');
  if (octets[0] !== 5 || octets[1] !== 0 || octets[2] !== 3) throw new Error(`no concatenation header: ${submit.hex}`);
  return octets[5] ?? 0;
}
