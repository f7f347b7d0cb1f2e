import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { tokenScopes } from '@morsel/api/values/token.ts';
import type { TokenScope } from '@morsel/api/values/token.ts';
import { instant, name, optional, orNone } from './fields.ts';
import type { Field } from './fields.ts';
import { allowedAddresses } from './rule-fields.ts';

const scopesHint = refused(`it has to be some of ${tokenScopes.join(', ')}, with commas between them`);

const scopes: Field<readonly TokenScope[]> = {
  parse: (text): Result<readonly TokenScope[], string> => {
    const words = text.split(',').map((word) => word.trim());
    const known = tokenScopes.filter((scope) => words.includes(scope));
    return words.every((word) => known.some((scope) => scope === word)) ? ok(known) : scopesHint;
  },
};

/** What the operator says of a new token; nothing of it changes later but that it is revoked. */
export const tokenFields = {
  account: name,
  scopes: optional(scopes, tokenScopes),
  expires: optional(orNone(instant), null),
  from: optional(allowedAddresses, 'any' as const),
};
