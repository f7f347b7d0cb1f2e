/**
 * The fields of an unexpected error for the log: its kind, and where it was thrown. Its message is left out, because it may quote
 * a token or a text, as that of JSON.parse does.
 */
export function describeBug(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code, stack: framesOf(error) };
}

/** The frames of the stack, without the name and the message before them. The message may have several lines. */
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
