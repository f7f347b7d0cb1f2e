import { profileTexts, standardProfile } from '@morsel/gateway/core/routing/carrier-profile.ts';
import { optionOfField } from './command.ts';
import { word } from './table.ts';
import type { Row } from './table.ts';

/** What a profile says that the standard one does not, as it would be set; of a certificate only that there is one. */
export function profileSettings(profile: Row): string[] {
  return Object.entries(profileTexts(standardProfile))
    .filter(([field, standard]) => word(profile, field) !== (standard ?? ''))
    .flatMap(([field]) => [
      `--${optionOfField(field)} ${shownAs(word(profile, field))}`,
      // The key is never shown, and is there where the certificate is.
      ...(field === 'tlsCertificate' ? [`--${optionOfField('tlsKey')} ${isThere}`] : []),
    ]);
}

const isThere = '(PEM)';

function shownAs(text: string): string {
  return text.startsWith('-----BEGIN') ? isThere : text;
}
