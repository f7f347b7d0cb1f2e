import { magic } from '@morsel/simulator/magic';

/** What becomes of receivers that end in these digits. */
export function magicHelp(endings: readonly string[] = Object.keys(magic)): string {
  const lines = endings.map((ending) => `  ...${ending}  ${magic[ending]?.about ?? ''}`);
  return `Receivers whose number ends in one of these are treated so; all others are delivered:\n${lines.join('\n')}`;
}
