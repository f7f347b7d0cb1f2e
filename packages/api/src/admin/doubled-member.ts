/*
 * Finds a repeated member name in JSON, at any depth. The gateway refuses such JSON: JSON.parse keeps the last value,
 * but a proxy in front of the gateway may have checked the first.
 */

const quote = '"';
const backslash = 0x5c;
const colon = 0x3a;

/** The repeated name; undefined if there is none. `content` is the parsed value of `source`. */
export function doubledMember(source: string, content: unknown): string | undefined {
  // The counts of members differ if a name is repeated. Usually they are equal, so the slow search is skipped.
  return countMembers(source) === countKept(content) ? undefined : findDoubled(source);
}

function countMembers(source: string): number {
  let count = 0;
  for (let at = source.indexOf(quote); at !== -1; at = source.indexOf(quote, at)) {
    at = behindString(source, at);
    if (isName(source, at)) count += 1;
  }
  return count;
}

/** Counts without recursion, because deeply nested JSON would overflow the stack. */
function countKept(content: unknown): number {
  let count = 0;
  const left: unknown[] = [content];
  while (left.length > 0) {
    const value = left.pop();
    if (Array.isArray(value)) {
      for (const member of value) left.push(member);
    } else if (isObject(value)) {
      for (const name in value) {
        count += 1;
        if (typeof value[name] === 'object') left.push(value[name]);
      }
    }
  }
  return count;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function findDoubled(source: string): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < source.length;) {
    const character = source.charAt(at);
    if (character === '{') open.push(new Set());
    else if (character === '}') open.pop();
    if (character !== quote) {
      at += 1;
      continue;
    }
    const end = behindString(source, at);
    if (isName(source, end)) {
      const name = String(JSON.parse(source.slice(at, end)));
      const names = open.at(-1);
      if (names?.has(name)) return name;
      names?.add(name);
    }
    at = end;
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
  while (source.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

/** If a colon follows at `at`, the string before it is the name of a member. */
function isName(source: string, at: number): boolean {
  let next = at;
  // JSON allows only these four white-space characters (RFC 8259, section 2).
  while (' \t\r\n'.includes(source.charAt(next)) && next < source.length) next += 1;
  return source.charCodeAt(next) === colon;
}
