/**
 * What may be logged of an error that should not have been: its kind and where it was thrown. Not its message, which may
 * quote a token or a text (JSON.parse quotes what it cannot read).
 */
export function describeBug(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { error: error.name, code, stack: framesOf(error) };
}

/** The stack begins with name and message, of any number of lines; frames are what is left. */
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
