/** A count with its noun in the singular or plural. */
export function counted(count: number | string, what: string, many = `${what}s`): string {
  return `${count} ${Number(count) === 1 ? what : many}`;
}
