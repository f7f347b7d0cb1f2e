import { endings } from '@morsel/simulator/endings';

/** Receivers whose last digits choose a behaviour of the simulated carrier. */
export function endingsHelp(shown: readonly string[] = Object.keys(endings)): string {
  const lines = shown.map((ending) => `  ...${ending}  ${endings[ending]?.about ?? ''}`);
  return `Receivers that end in these digits behave as described; messages to all other receivers are delivered:\n${lines.join('\n')}`;
}
