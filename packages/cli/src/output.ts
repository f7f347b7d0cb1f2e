import { fstatSync, fsyncSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { faultCode } from '@morsel/gateway/core/base/fault-code.ts';

/** The exit status if the output could not be written: EX_IOERR of sysexits.h. */
export const unwrittenStatus = 74;

/** Prints, and knows whether all output was written. */
export interface Output {
  readonly print: (text: string) => void;
  /**
   * Resolves when all output is written; if the output is a file, it is then on the disk. The value is the reason if
   * output was lost. A closed pipe (EPIPE) is no fault.
   */
  readonly end: () => Promise<string | undefined>;
}

/** `onLost` is called at the first failed write. After that, nothing more is written. */
export function openOutput(stream: NodeJS.WriteStream & { readonly fd: number }, onLost: () => void): Output {
  let lost: string | undefined;
  const lose = (fault: unknown) => {
    if (lost !== undefined) return;
    lost = faultCode(fault);
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
      // A pipe may first report success for a write, and then report that the write failed.
      await new Promise((resolve) => setImmediate(resolve));
      if (lost === undefined && fstatSync(stream.fd).isFile()) fsyncSync(stream.fd);
      return lost === 'EPIPE' ? undefined : lost;
    },
  };
}

/** Whether the output is a file, or a device such as /dev/full. These are written synchronously. */
function isFile(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(fd));
}

/**
 * Writes the rest of a text until nothing is left. At a limit of file sizes, a write is silently cut short, and only
 * the next write fails (write(2), EFBIG).
 */
export function writeWhole(fd: number, text: string): void {
  const octets = Buffer.from(text);
  for (let at = 0; at < octets.length;) at += writeSync(fd, octets, at);
}

export function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
