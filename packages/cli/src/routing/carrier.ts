import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { presets } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { profileFields } from '@morsel/api/admin/routing/kinds/smpp-fields.ts';
import { jsonOf, typedText } from '@morsel/api/fields/field.ts';
import { text } from '@morsel/api/fields/fields.ts';
import { ok } from '@morsel/api/values/result.ts';
import { commandsOf } from '../bind.ts';
import type { Command } from '../command.ts';
import { labelOf } from '../given.ts';
import { reconcileCommand } from './invoice/reconcile.ts';
import { tableOf } from '../show.ts';

/* The commands of carriers, also those that are no operation: the presets, and the comparison with an invoice. */

export const carrierCommands: readonly Command[] = [
  ...commandsOf(carrier),
  reconcileCommand,
  {
    words: 'carrier presets',
    summary: 'List the presets: profiles of settings for a new carrier',
    examples: { 'carrier presets': 'each preset with the options that it sets' },
    run: async (_input, { hasColour }) => {
      const rows = Object.entries(presets).map(([name, { summary, profile }]) => ({
        name,
        summary,
        settings: settingsOf(profile),
      }));
      const shown = tableOf({ answer: presetFields }, rows, { hasColour, whenEmpty: 'there are no presets' });
      return ok({ json: JSON.stringify(rows), text: shown });
    },
  },
];

const presetFields = {
  name: text({ summary: 'name of the preset' }),
  settings: text({ summary: 'options that the preset sets', label: 'Sets' }),
  summary: text({ summary: 'purpose', label: 'What for' }),
};

function settingsOf(profile: (typeof presets)[string]['profile']): string {
  const fields = Object.entries(profileFields).filter(([name]) => Object.hasOwn(profile, name));
  const json = jsonOf(Object.fromEntries(fields), profile);
  return fields.map(([name, field]) => `--${labelOf(name, field)} ${typedText(json[name])}`).join(' ');
}
