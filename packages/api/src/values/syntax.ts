const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

/** Names of accounts, carriers and price lists: a person can type them without quotes. */
export function isName(input: string): boolean {
  return namePattern.test(input);
}

const prefixPattern = /^(?:[1-9]\d{0,14})?$/;

/** A prefix is up to 15 digits of an E.164 number, without `+` or `00`; the empty one matches every number. */
export function isPrefix(input: string): boolean {
  return prefixPattern.test(input);
}
