/**
 * The fields of an unexpected error that are logged: its kind, and where it was thrown. The error's message is left
 * out, because it may quote a token or a text, as errors of JSON.parse do.
 */
export function describeBug(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code, stack: framesOf(error) };
}

/**
 * The frames of an error's stack. The stack begins with the error's name and message, which may have several lines;
 * both are removed.
 */
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
