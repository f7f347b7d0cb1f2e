export interface InboundRoute {
  /** Null if no account matched. The message is then stored, and the operator sees it. */
  readonly account: number | null;
  readonly matchedBy: 'number' | 'keyword' | 'fallback' | null;
  readonly keyword: string | null;
}

export interface NumberKeywords {
  readonly words: ReadonlyMap<string, number>;
  readonly accounts: ReadonlySet<number>;
}

/** The keywords of a number and their accounts; undefined if the number has no keywords. */
export function keywordsFrom(words: ReadonlyMap<string, number>): NumberKeywords | undefined {
  return words.size === 0 ? undefined : { words, accounts: new Set(words.values()) };
}

/** Finds the account of an inbound message: the account of its keyword, else the account of the number. */
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
