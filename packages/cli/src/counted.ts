/** So many of something, as a person says it. */
export function counted(count: number | string, what: string, many = `${what}s`): string {
  return `${count} ${Number(count) === 1 ? what : many}`;
}
