/** Octets of a line, as wide as people are used to. */
const lineOctets = 16;

/** Octets given in hexadecimal, a line for each sixteen: where they stand, what they are, and those that are printable ASCII. */
export function octetLines(hex: string): string {
  const octets = Buffer.from(hex, 'hex');
  const lines: string[] = [];
  for (let at = 0; at < octets.length; at += lineOctets) {
    const line = octets.subarray(at, at + lineOctets);
    const digits = Array.from(line, (octet) => octet.toString(16).padStart(2, '0')).join(' ');
    const letters = line.toString('latin1').replaceAll(/[^\x20-\x7e]/g, '.');
    lines.push(`${at.toString(16).padStart(4, '0')}  ${digits.padEnd(3 * lineOctets)} ${letters}`);
  }
  return lines.join('\n');
}
