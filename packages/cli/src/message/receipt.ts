import { receipt } from '@morsel/api/admin/message/receipt.ts';
import { commandsOf } from '../bind.ts';
import type { Command } from '../command.ts';
import { cardOf } from '../show.ts';

export const receiptCommands: readonly Command[] = commandsOf(receipt, {
  show: {
    says: ({ octets, ...shown }, shell) => {
      const card = cardOf(receipt.operations.unmatched, shown, shell);
      return octets === null ? card : `${card}\n\nfirst octets of the receipt:\n${octetLines(octets)}`;
    },
  },
});

/** Octets in one line of the hex dump, as most tools print it. */
const lineOctets = 16;

/** Formats octets as a hex dump: each line has an offset, sixteen octets, and the same octets as printable ASCII. */
function octetLines(octets: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < octets.length; at += lineOctets) {
    const line = octets.subarray(at, at + lineOctets);
    const digits = Array.from(line, (octet) => octet.toString(16).padStart(2, '0')).join(' ');
    const letters = Buffer.from(line)
      .toString('latin1')
      .replaceAll(/[^\x20-\x7e]/g, '.');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${digits.padEnd(3 * lineOctets)} ${letters}`);
  }
  return lines.join('\n');
}
