import type { CommandOf, Kind, ResultOf } from '../state/commands.ts';
import type { Tools } from './ports.ts';

export interface ChangeNeeds extends Pick<Tools, 'clock' | 'random' | 'journal'> {
  /** Ends when admission and carriers use the settings that the store has now. */
  readonly reloadSnapshot: () => Promise<void>;
}

/** Waits until admission and carriers use the committed settings. */
export async function change<K extends Kind>(needs: ChangeNeeds, command: CommandOf<K>): Promise<ResultOf<K>> {
  const written = await needs.journal.append<K>(command);
  if (written.ok) await needs.reloadSnapshot();
  return written;
}
