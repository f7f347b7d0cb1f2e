import { magic } from '@morsel/simulator/magic';

/** The help about magic receivers: numbers whose last digits choose a behaviour of the simulated carrier. */
export function magicHelp(endings: readonly string[] = Object.keys(magic)): string {
  const lines = endings.map((ending) => `  ...${ending}  ${magic[ending]?.about ?? ''}`);
  return `Receivers that end in these digits behave as described; messages to all other receivers are delivered:\n${lines.join('\n')}`;
}
