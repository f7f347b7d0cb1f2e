/** What led a message from a phone to its account. */
export const inboundMatches = ['number', 'keyword', 'fallback'] as const;
export type InboundMatch = (typeof inboundMatches)[number];

/** Whose a message from a phone is, and why. */
export interface InboundRoute {
  /** Null when it is nobody's: kept, and shown to the operator. */
  readonly account: number | null;
  readonly matchedBy: InboundMatch | null;
  /** The keyword that led there. */
  readonly keyword: string | null;
}

/** The keywords of one number: whose each is, and all who have one. */
export interface NumberKeywords {
  readonly words: ReadonlyMap<string, number>;
  readonly accounts: ReadonlySet<number>;
}

/** What becomes of keywords when one of them is given to an account, or to nobody. */
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

/** Who gets a message to a number: the account of its keyword, if it has one, before the number's own. */
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
