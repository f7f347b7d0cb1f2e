import { isTokenId } from '../../values/credentials.ts';
import { allowList } from '../../fields/compose.ts';
import { network, textThat } from '../../fields/fields.ts';

/* Fields of tokens and of operator keys. */

/** The public id in a token or a key, whose text begins with `start`. */
export function keyId(summary: string, { start, of }: { readonly start: string; readonly of: string }) {
  return textThat(
    {
      summary,
      // A caller may have only the whole text of what leaked. The command line sends the id in this text, and the secret rest
      // stays on this machine.
      sends: (typed) => {
        const [, id = ''] = typed.split('_');
        return typed.startsWith(start) && isTokenId(id) ? id : typed;
      },
    },
    isTokenId,
    {
      placeholder: '<id>',
      wants: `must be 12 hexadecimal digits, which follow ${start} in the ${of}`,
      schema: { pattern: '^[0-9a-f]{12}$' },
      example: '4be5ff51d5fb',
    },
  );
}

export const sourceAddresses = allowList(network({ summary: 'an address' }), {
  label: 'Allowed addresses',
  summary: 'addresses that requests may come from: a list such as 192.0.2.0/24,2001:db8::1',
  special: { any: 'every address', '': 'no address' },
  placeholder: '<addresses>',
});
