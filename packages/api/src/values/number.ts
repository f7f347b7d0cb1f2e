/** `number`: one number or short code; `prefix`: every international number that begins with these digits. */
export const numberKinds = ['number', 'prefix'] as const;
export type NumberKind = (typeof numberKinds)[number];
