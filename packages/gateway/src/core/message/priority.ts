/** Priorities of messages. */
export const priorities = ['normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/**
 * The stored number of each priority; smaller goes first. 0 is what messages had before priorities existed. There is
 * room for more on both sides and between.
 */
export const priorityNumbers = { high: -10, normal: 0 } as const satisfies Readonly<Record<Priority, number>>;

export function parsePriority(word: string): Priority | undefined {
  return priorities.find((each) => each === word);
}
