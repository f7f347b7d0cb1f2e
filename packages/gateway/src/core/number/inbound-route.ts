/** What led an inbound message to its account. */
export const inboundMatches = ['number', 'keyword', 'fallback'] as const;
type InboundMatch = (typeof inboundMatches)[number];

/** The account of an inbound message, and why. */
export interface InboundRoute {
  /** Null if it matched no account: it is stored and shown to the operator. */
  readonly account: number | null;
  readonly matchedBy: InboundMatch | null;
  /** The keyword that decided. */
  readonly keyword: string | null;
}

/** The keywords of one number with their accounts, and all accounts with a keyword. */
export interface NumberKeywords {
  readonly words: ReadonlyMap<string, number>;
  readonly accounts: ReadonlySet<number>;
}

/** The keywords after one of them is given to an account, or removed. */
export function withKeyword(
  before: NumberKeywords | undefined,
  word: string,
  account: number | null,
): NumberKeywords | undefined {
  const words = new Map(before?.words);
  if (account === null) words.delete(word);
  else words.set(word, account);
  return words.size === 0 ? undefined : { words, accounts: new Set(words.values()) };
}

/** The account of a message to a number: that of its keyword, else the number's own. */
export function routeInbound(
  number: { readonly account: number | null } | undefined,
  keywords: NumberKeywords | undefined,
  keyword: string | null,
): InboundRoute {
  const ofKeyword = keyword === null ? undefined : keywords?.words.get(keyword);
  if (ofKeyword !== undefined) return { account: ofKeyword, matchedBy: 'keyword', keyword };
  const account = number?.account ?? null;
  const matchedBy = account === null ? null : keywords ? 'fallback' : 'number';
  return { account, matchedBy, keyword: null };
}
