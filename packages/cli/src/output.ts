import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

/** EX_IOERR of sysexits.h: the answer could not be printed. */
export const unwrittenStatus = 74;

/** Standard output, and whether everything that was printed has gone there. */
export interface Output {
  readonly print: (text: string) => void;
  /** When all that was printed has left or never will; why it will not, but where its reader went away (EPIPE). */
  readonly end: () => Promise<string | undefined>;
}

/** `onLost` is called once, when the first thing cannot be written: nothing that is printed later is. */
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
      // A pipe tells why it took nothing after it has told that it did.
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

/** A limit of the size of files cuts a write short without a word: only the next one is refused (write(2), EFBIG). */
function writeWhole(fd: number, text: string): void {
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length;) at += writeSync(fd, octets, at);
}

/** When all that was said has left. */
export function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
