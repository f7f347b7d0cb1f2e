/*
 * Finds half of a surrogate pair in JSON, which UTF-8 cannot write. A database would store another character in its
 * place, so the stored text would differ from the text in the request.
 */

/** The escape of half a pair (U+D800 to U+DFFF). In well-formed source text, only such an escape makes a half. */
const halfEscape = /\\u[dD][89a-fA-F]/;

/** A member whose text may have halves, because an operation looks at it and names the place of the fault. */
export interface Excepted {
  readonly of: object;
  readonly member: string;
}

/**
 * The name of a member with a half, at any depth; undefined if there is none. `content` is the parsed value of
 * `source`.
 */
export function illFormedMember(source: string, content: unknown, except?: Excepted): string | undefined {
  return halfEscape.test(source) ? illFormedIn(content, except) : undefined;
}

/**
 * The same for a value whose source is not known. Uses no recursion, because deeply nested JSON would overflow the
 * stack.
 */
export function illFormedIn(content: unknown, except?: Excepted): string | undefined {
  const left: (readonly [member: string, value: unknown])[] = [['', content]];
  for (let next = left.pop(); next; next = left.pop()) {
    const [member, value] = next;
    if (!member.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) return member;
    if (Array.isArray(value)) for (const item of value) left.push([member, item]);
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!(except?.of === value && except.member === name && typeof inner === 'string')) left.push([name, inner]);
      }
    }
  }
  return undefined;
}
