/*
 * Finds a repeated member name in JSON, at any depth. The gateway refuses such JSON: JSON.parse keeps the last value,
 * but a proxy in front of the gateway may have checked the first.
 */

const quote = '"';
const code = { quote: 0x22, colon: 0x3a, backslash: 0x5c, open: 0x7b, close: 0x7d } as const;
/** JSON allows only these four white-space characters (RFC 8259, section 2). */
const blanks: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** The repeated name in valid JSON; undefined if there is none. Uses no recursion, which deep JSON would exhaust. */
export function doubledMember(source: string): string | undefined {
  const objects: Set<string>[] = [];
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charCodeAt(at);
    if (character === code.open) objects.push(new Set());
    else if (character === code.close) objects.pop();
    else if (character === code.quote) {
      const end = behindString(source, at);
      if (isName(source, end)) {
        const plain = source.slice(at + 1, end - 1);
        const name = plain.includes('\\') ? String(JSON.parse(source.slice(at, end))) : plain;
        const names = objects.at(-1);
        if (names?.has(name)) return name;
        names?.add(name);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** Index after the end of the JSON string. */
function behindString(source: string, start: number): number {
  let end = source.indexOf(quote, start + 1);
  while (end !== -1 && isEscaped(source, end)) end = source.indexOf(quote, end + 1);
  return end === -1 ? source.length : end + 1;
}

function isEscaped(source: string, at: number): boolean {
  let before = at - 1;
  while (source.charCodeAt(before) === code.backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** If a colon follows at `at`, the string before it is the name of a member. */
function isName(source: string, at: number): boolean {
  let next = at;
  while (blanks.includes(source.charCodeAt(next))) next += 1;
  return source.charCodeAt(next) === code.colon;
}
