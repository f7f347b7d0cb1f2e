/* The paths of the old API, which are not declared yet. */

interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `:name` stands for a field that is given in the path; the others come in the query of a GET or DELETE, or in the body. */
  readonly path: string;
  readonly summary: string;
}

/** Everything that the operator's API serves. The command line calls it by the same table. */
export const adminEndpoints = {
  priceLists: { method: 'GET', path: '/admin/price-lists', summary: 'All price lists, and who uses them' },
  priceVersions: { method: 'GET', path: '/admin/price-lists/:list/versions', summary: 'The versions of a price list' },
  prices: {
    method: 'GET',
    path: '/admin/price-lists/:list/prices',
    summary: 'What holds for a price list, with what it stands on, a page at a time',
  },
  exportPrices: {
    method: 'GET',
    path: '/admin/price-lists/:list/export',
    summary: 'The own prices of a price list as text, some thousands at a time',
  },
  setPriceBase: { method: 'POST', path: '/admin/price-lists/:list/base', summary: 'Have a list stand on another' },
  removePriceList: { method: 'DELETE', path: '/admin/price-lists/:list', summary: 'Remove a list that nothing uses' },
  withdrawPrices: {
    method: 'POST',
    path: '/admin/price-lists/:list/versions/:version/withdraw',
    summary: 'Take back a version before it takes effect',
  },
  beginImport: { method: 'POST', path: '/admin/price-lists/:list/imports', summary: 'Begin to import prices' },
  stageImport: {
    method: 'POST',
    path: '/admin/price-lists/:list/imports/:import/prices',
    summary: 'Keep some prices of an import, which do not hold yet',
  },
  publishImport: {
    method: 'POST',
    path: '/admin/price-lists/:list/imports/:import/publish',
    summary: 'Make all prices of an import hold at once',
  },
  dropImport: {
    method: 'DELETE',
    path: '/admin/price-lists/:list/imports/:import',
    summary: 'Give an import up',
  },
  setPrices: { method: 'POST', path: '/admin/prices', summary: 'Set prices of a list' },
  totals: { method: 'GET', path: '/admin/totals', summary: 'Sums over the whole store, for checks from outside' },
  status: { method: 'GET', path: '/admin/status', summary: 'How the running gateway is' },
  confirmClock: {
    method: 'POST',
    path: '/admin/clock/confirm',
    summary: 'Believe the clock of the machine, after a start that doubted it',
  },
  resume: {
    method: 'POST',
    path: '/admin/resume',
    summary: 'Begin the work of a gateway that was started with --hold',
  },
} as const satisfies { readonly [name: string]: AdminEndpoint };

export type AdminEndpointName = keyof typeof adminEndpoints;

// Object.keys forgets which keys an object has: this is the one place that remembers.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const adminEndpointNames = Object.keys(adminEndpoints) as readonly AdminEndpointName[];

/** The path with its fields in place, and the fields that are left. */
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
