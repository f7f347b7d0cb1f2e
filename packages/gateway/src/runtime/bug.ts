import { version } from './version.ts';

/** Advice at the end of each error that is a bug. */
export const bugReport = `this is a bug of Morsel ${version}: keep this line, its time, the lines of the log around it, and the request id if there is one; CONTRIBUTING.md says where to report a bug, and SECURITY.md where to report one that endangers somebody`;

/** Kind, place and advice of an unexpected error, without its message, which may quote a token or a text. */
export function describeBug(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error, report: bugReport };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code, stack: framesOf(error), report: bugReport };
}

/** The stack begins with the error's name and message, which may have several lines; both are removed. */
function framesOf(error: Error): readonly string[] {
  const stack = error.stack ?? '';
  const at = stack.indexOf(error.message);
  if (error.message !== '' && at === -1) return [];
  return stack
    .slice(at + error.message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '));
}
