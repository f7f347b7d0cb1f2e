/* Suggests names while the viewer types, for fields that name something existing. */

import { account } from '@morsel/api/admin/account/account.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';
import { useQuery } from '@tanstack/react-query';
import { calls, valueOf } from '../../app/client.ts';
import { useMay } from '../../app/session.ts';

const limit = 200;

interface Source {
  readonly operation: Pick<Operation, 'path' | 'role'>;
  ask(): Promise<readonly string[]>;
}

const accounts = {
  operation: account.operations.list,
  ask: async () => (await valueOf(calls.account.list({ limit }))).items.map(({ name }) => name),
};
const carriers = {
  operation: carrier.operations.list,
  ask: async () => (await valueOf(calls.carrier.list({ limit }))).items.map(({ name }) => name),
};
const priceLists = {
  operation: price.operations.list,
  ask: async () => (await valueOf(calls.price.list({ limit }))).items.map(({ list }) => list),
};

/** Sources of names, by the name of the field. */
const sources = new Map<string, Source>([
  ['account', accounts],
  ['carrier', carriers],
  ...['list', 'priceList', 'costList', 'base'].map((name) => [name, priceLists] as const),
]);

const freshMs = 60_000;

/** The names for a field, once it has the focus. */
export function useSuggestions(field: string | undefined, hasFocus: boolean): readonly string[] {
  const may = useMay();
  const source = sources.get(field ?? '');
  const found = useQuery({
    queryKey: ['suggestions', source?.operation.path],
    queryFn: () => source?.ask() ?? [],
    enabled: hasFocus && source !== undefined && may(source.operation),
    staleTime: freshMs,
    retry: false,
  });
  return found.data ?? [];
}
