/* Addresses of the operator's API that the browser opens by itself, such as downloads. */

import { adminBase, jsonGiven } from '@morsel/api/admin/client.ts';
import { typedText } from '@morsel/api/fields/field.ts';
import type { Operation } from '@morsel/api/admin/resource.ts';

export function csvPathOf({ path, input }: Operation, given: Readonly<Record<string, string>>): string {
  const values = new Map(Object.entries(jsonGiven({ input }, given)).map(([name, value]) => [name, typedText(value)]));
  values.delete('after');
  values.delete('limit');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name) ?? '';
    values.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams([...values]).toString();
  return `${adminBase}${filled}.csv${query === '' ? '' : `?${query}`}`;
}
