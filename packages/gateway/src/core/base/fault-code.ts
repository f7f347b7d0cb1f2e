/** The code of a fault of Node, such as ENOENT: its message may name what is private. */
export function faultCode(fault: unknown, unknown = 'unknown fault'): string {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : unknown;
}

/** For people: why a file cannot be read or written. */
export function fileFault(fault: unknown): string {
  const code = faultCode(fault);
  return code === 'ENOSPC' ? 'the disk is full' : code;
}
