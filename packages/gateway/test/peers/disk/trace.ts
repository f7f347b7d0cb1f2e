/** One system call as strace wrote it, with the lines of the trace where it started and ended. */
export interface Call {
  readonly name: string;
  readonly arguments: string;
  readonly result: string;
  readonly begin: number;
  readonly end: number;
}

const whole = /^(\d+) +(\w+)\((.*)\) += (.*)$/;
const begun = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (.*)$/;

/** Reads the output of `strace -f -o`. A call of one thread may start on one line and end on a later one. */
export function readTrace(text: string): Call[] {
  const calls: Call[] = [];
  const open = new Map<string, { readonly name: string; readonly arguments: string; readonly begin: number }>();
  for (const [at, line] of text.split('\n').entries()) {
    const one = whole.exec(line);
    if (one) {
      const [, , name = '', given = '', result = ''] = one;
      calls.push({ name, arguments: given, result, begin: at, end: at });
      continue;
    }
    const first = begun.exec(line);
    if (first) {
      const [, thread = '', name = '', given = ''] = first;
      open.set(thread, { name, arguments: given, begin: at });
      continue;
    }
    const last = resumed.exec(line);
    const [, thread = '', , rest = '', result = ''] = last ?? [];
    const opened = open.get(thread);
    if (!last || !opened) continue;
    open.delete(thread);
    calls.push({ ...opened, arguments: opened.arguments + rest, result, end: at });
  }
  return calls.toSorted((one, other) => one.begin - other.begin);
}
