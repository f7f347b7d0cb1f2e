/** How urgent a message is, as its sender says. */
export const priorities = ['normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/**
 * The number a priority is stored by: the smaller goes first. 0 is what every message had before there were priorities, and
 * there is room for others on both sides and between.
 */
export const priorityNumbers = { high: -10, normal: 0 } as const satisfies Readonly<Record<Priority, number>>;

export function parsePriority(word: string): Priority | undefined {
  return priorities.find((each) => each === word);
}
