import { ok, refused } from '@morsel/api/values/result.ts';
import type { Handlers } from '../bind.ts';
import { applyDocument, planDocument, readSettingsNow } from './change.ts';
import type { FindOperation } from './together.ts';

/** The handlers of the settings file. `find` finds the operations that an apply of a file runs. */
export const configHandlers = (find: FindOperation): Handlers<'config'> => ({
  show: async (needs) => {
    const found = await readSettingsNow({ ...needs, find });
    return found.ok ? ok({ version: found.value.version, config: found.value.settings.document }) : found;
  },
  plan: async (needs, input) => {
    const made = await planDocument({ ...needs, find }, input);
    return made.ok ? ok(made.value.shown) : made;
  },
  apply: (needs, input) => applyDocument({ ...needs, find }, input),
  previous: async ({ reader }) => {
    const found = await reader.ask('configState', undefined);
    if (!found.ok) return found;
    if (!found.value) return refused({ code: 'does_not_exist', detail: 'no file of settings was applied yet' });
    const { number, at: appliedAt, actor: appliedBy, config: document } = found.value;
    return ok({ number, appliedAt, appliedBy, config: document });
  },
});
