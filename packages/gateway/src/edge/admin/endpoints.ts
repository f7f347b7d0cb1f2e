/* The paths of the old API, which are not declared yet. */

interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for a field in the path; the others come in the query of a GET or DELETE, or in the body. */
  readonly path: string;
  readonly summary: string;
}

/** All operations of the operator's old API. The command line uses the same table. */
export const adminEndpoints = {
  totals: { method: 'GET', path: '/admin/totals', summary: 'Sums over the whole store, for checks from outside' },
  status: { method: 'GET', path: '/admin/status', summary: 'How the running gateway is' },
  confirmClock: {
    method: 'POST',
    path: '/admin/clock/confirm',
    summary: 'Trust the clock of the machine, after a start that did not trust it',
  },
  resume: {
    method: 'POST',
    path: '/admin/resume',
    summary: 'Begin the work of a gateway that was started with --hold',
  },
} as const satisfies { readonly [name: string]: AdminEndpoint };

export type AdminEndpointName = keyof typeof adminEndpoints;

// Object.keys loses the type of the keys; only this function restores it.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const adminEndpointNames = Object.keys(adminEndpoints) as readonly AdminEndpointName[];

/** The path with its fields, and the remaining fields. */
export function fillPath<T>(
  pattern: string,
  fields: { readonly [field: string]: T },
): { readonly path: string; readonly rest: { readonly [field: string]: T } } {
  const rest = { ...fields };
  const path = pattern.replaceAll(/:(\w+)/g, (_whole, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value ?? ''));
  });
  return { path, rest };
}
