import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** EX_IOERR of sysexits.h: the answer could not be printed. */
export const unwrittenStatus = 74;

/** Standard output, and whether everything that was printed has been written. */
export interface Output {
  readonly print: (text: string) => void;
  /**
   * Resolves when everything was written, or never will be; with the reason, except after its reader has gone (EPIPE).
   */
  readonly end: () => Promise<string | undefined>;
}

/** `onLost` is called once, at the first failed write: nothing later is written. */
export function openOutput(stream: NodeJS.WriteStream & { readonly fd: number }, onLost: () => void): Output {
  let lost: string | undefined;
  const lose = (fault: unknown) => {
    if (lost !== undefined) return;
    lost = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    onLost();
  };
  stream.on('error', lose);
  const write = isFile(stream.fd)
    ? (text: string) => writeWhole(stream.fd, text)
    : (text: string) => stream.write(text);
  return {
    print: (text) => {
      if (lost !== undefined) return;
      try {
        write(text);
      } catch (fault) {
        lose(fault);
      }
    },
    end: async () => {
      await written(stream);
      // A pipe reports a failed write after it has reported success.
      await new Promise((resolve) => setImmediate(resolve));
      return lost === 'EPIPE' ? undefined : lost;
    },
  };
}

/** Files, and devices such as /dev/full: they are written at once, or not at all. */
function isFile(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(fd));
}

/** A limit of the size of files silently cuts a write short: only the next one is refused (write(2), EFBIG). */
function writeWhole(fd: number, text: string): void {
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length;) at += writeSync(fd, octets, at);
}

/** Resolves when everything was written. */
export function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
