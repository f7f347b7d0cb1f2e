import { priorities } from '@morsel/api/values/message.ts';
import type { Priority } from '@morsel/api/values/message.ts';

/**
 * The stored number of each priority; smaller goes first. 0 is what messages had before priorities existed. There is
 * room for more on both sides and between.
 */
export const priorityNumbers = { high: -10, normal: 0 } as const satisfies Readonly<Record<Priority, number>>;

export function parsePriority(word: string): Priority | undefined {
  return priorities.find((each) => each === word);
}
