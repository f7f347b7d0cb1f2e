import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import { usage } from './command.ts';
import type { Failure } from './command.ts';

/** The object that a file has as JSON; `what` names the file. A name given twice is refused: JSON.parse would take the last. */
export function objectIn(text: string, what: string): Result<object, Failure> {
  const json = text.replace(/^\uFEFF/, '');
  if (json.trim() === '') return refused(usage(`${what} is empty`));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return refused(usage(`${what} is no JSON`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused(usage(`${what} has to be a JSON object`));
  }
  const name = twiceIn(json);
  return name === undefined ? ok(value) : refused(usage(`${what} has ${name} twice`));
}

const tokenPattern = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/gs;

/** The first name that an object of this JSON, which is known to be JSON, has twice. */
function twiceIn(json: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, text = '', colon] of json.matchAll(tokenPattern)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      const names = open.at(-1);
      const name = String(JSON.parse(text));
      if (names?.has(name)) return name;
      names?.add(name);
    }
  }
  return undefined;
}
