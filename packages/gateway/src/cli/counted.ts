/** So many of something, as a person says it. */
export function counted(count: number, what: string, many = `${what}s`): string {
  return `${count} ${count === 1 ? what : many}`;
}
