import { failureFields, notification } from '@morsel/api/admin/notification/notification.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { Shell } from '../command.ts';
import { cardOf, tableOf } from '../show.ts';

type Shown = AnswerOf<typeof notification.operations.show>;

/** A notification, and its failed tries as a table. */
export function showNotification(shown: Shown, { hasColour }: Shell): string {
  const lines = cardOf(notification.operations.show, shown, { hasColour });
  if (shown.failures.length === 0) return lines;
  const failures = { answer: failureFields, columns: ['try', 'at', 'by', 'outcome'] as const };
  return `${lines}\n\n${tableOf(failures, shown.failures, { hasColour, whenEmpty: '' })}`;
}
