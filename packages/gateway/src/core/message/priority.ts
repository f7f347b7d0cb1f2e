import { priorities, type Priority } from '@morsel/api/values/message.ts';

/**
 * The stored number of each priority; messages with a smaller number are sent first. Messages from before priorities
 * existed have 0. More priorities could be added below, above and between these numbers.
 */
export const priorityNumbers = { high: -10, normal: 0 } as const satisfies Readonly<Record<Priority, number>>;

export function parsePriority(word: string): Priority | undefined {
  return priorities.find((each) => each === word);
}
