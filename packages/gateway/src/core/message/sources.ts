/** The ways in which messages come, and the kind of credential that opens each; null for that of the operators. */
export const sources = { http: 'token', smpp: 'login', operator: null } as const;
export type Source = keyof typeof sources;
