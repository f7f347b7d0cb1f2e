/* The roles of operators, and the operations that each role may call. */

/** An operator is a person with one role. Each operation has the least role that may call it. */
export const roles = ['owner', 'operator', 'support', 'finance', 'viewer'] as const;
export type Role = (typeof roles)[number];

export const roleMeanings: { readonly [R in Role]: string } = {
  owner: 'everything: also rights, keys, accounts, settings of carriers, prices, the audit log',
  operator: 'the work of each day: routes, numbers, webhooks, pauses, sending, canceling; no prices and costs',
  support: 'read messages, inbound messages, receipts, notifications and opt-outs',
  finance: 'prices, costs, statements, top-ups, adjustments and the ledger',
  viewer: 'read settings and states',
};

/** The roles that may call an operation, by its least role. Finance has a viewer's operations and those about money. */
const allowed: { readonly [R in Role]: readonly Role[] } = {
  viewer: roles,
  support: ['support', 'operator', 'owner'],
  operator: ['operator', 'owner'],
  finance: ['finance', 'owner'],
  owner: ['owner'],
};

export function mayCall(role: Role, least: Role): boolean {
  return allowed[least].includes(role);
}

/** Whether a role sees whole phone numbers and the texts of messages. For other roles the gateway hides them. */
export function seesPersonal(role: Role): boolean {
  return role === 'owner' || role === 'operator';
}
