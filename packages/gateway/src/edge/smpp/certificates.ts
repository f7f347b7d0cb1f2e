import { readFile, stat } from 'node:fs/promises';
import { tlsMaterialProblem } from '@morsel/smpp';
import type { ServerTls } from '@morsel/smpp';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import { secondMs } from '@morsel/api/values/time.ts';

/*
 * The certificate of the gateway's SMPP over TLS: reads its files, and takes new ones into use while the gateway runs.
 */

/** Paths of the certificate, followed in its file by any intermediate ones, and of its key. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Renewal tools write files or change links. Polling sees both. */
const lookEveryMs = 10 * secondMs;
/** More than any chain of certificates needs: they have a few KiB. */
const octetsMax = 1024 * 1024;

/** Certificate and key, or a sentence for the operator if they cannot be used together. */
export async function readCertificate({ cert, key }: CertificateFiles): Promise<Result<ServerTls, string>> {
  const files: string[] = [];
  for (const file of [cert, key]) {
    try {
      const text = await readFile(file, 'utf8');
      if (text.length > octetsMax) return refused(`${file} is too long for a certificate or key`);
      files.push(text);
    } catch (fault) {
      return refused(`${file} cannot be read: ${codeOf(fault)}`);
    }
  }
  const [certText = '', keyText = ''] = files;
  const problem = tlsMaterialProblem({ cert: certText, key: keyText });
  if (problem !== undefined) return refused(`${problem} (${cert}, ${key})`);
  return ok({ cert: certText, key: keyText });
}

interface WatchNeeds {
  readonly clock: Clock;
  readonly files: CertificateFiles;
  /** Uses the new certificate for connections from now on. */
  readonly renew: (tls: ServerTls) => void;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

/**
 * Reads the certificate again when its files change, and at each SIGHUP. If the new one cannot be used, the log says so once
 * and the old one stays in use.
 */
export class CertificateWatch implements Disposable {
  readonly #needs: WatchNeeds;
  readonly #loop: Loop;
  readonly #onHangUp = () => {
    this.#isForced = true;
    this.#loop.wake();
  };
  #isForced = false;
  #seen: string;

  private constructor(needs: WatchNeeds, seen: string) {
    this.#needs = needs;
    this.#seen = seen;
    const { clock, log } = needs;
    const turn = () => this.#look();
    this.#loop = new Loop({ clock, log, name: 'look at the certificate', everyMs: lookEveryMs, turn });
    process.on('SIGHUP', this.#onHangUp);
  }

  /** Watches for changes from the current state of the files on. */
  static async start(needs: WatchNeeds): Promise<CertificateWatch> {
    return new CertificateWatch(needs, await stampOf(needs.files));
  }

  [Symbol.dispose](): void {
    void this.#loop.stop();
    process.off('SIGHUP', this.#onHangUp);
  }

  async #look(): Promise<void> {
    const { files, renew, log } = this.#needs;
    const stamp = await stampOf(files);
    if (!this.#isForced && stamp === this.#seen) return;
    this.#isForced = false;
    this.#seen = stamp;
    const read = await readCertificate(files);
    if (read.ok) {
      renew(read.value);
      log.info({}, 'new certificate for SMPP over TLS in use; bound sessions keep the old one');
    } else {
      log.error({ why: read.error }, 'new certificate for SMPP over TLS cannot be used; the old one stays in use');
    }
  }
}

/** A text that changes when the files change, or the files that they link to. */
async function stampOf({ cert, key }: CertificateFiles): Promise<string> {
  const stamps = [cert, key].map(async (file) => {
    try {
      const { ino, size, mtimeMs } = await stat(file);
      return `${ino} ${size} ${mtimeMs}`;
    } catch (fault) {
      return codeOf(fault);
    }
  });
  return (await Promise.all(stamps)).join();
}

function codeOf(fault: unknown): string {
  return fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
}
