const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Whether a text may be the name of an object. Such a name needs no quotes in a shell. */
export function isName(input: string): boolean {
  return namePattern.test(input);
}

const prefixPattern = /^(?:[1-9]\d{0,14})?$/;

/** Whether a text is a prefix: up to 15 digits of E.164 numbers, without `+`. The empty prefix matches every number. */
export function isPrefix(input: string): boolean {
  return prefixPattern.test(input);
}
