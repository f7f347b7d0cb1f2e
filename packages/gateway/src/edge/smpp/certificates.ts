import { readFile, stat } from 'node:fs/promises';
import { tlsMaterialProblem } from '@morsel/smpp';
import type { ServerTls } from '@morsel/smpp';
import { ok, refused } from '@morsel/api/values/result.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Loop } from '../../runtime/loop.ts';
import { secondMs } from '@morsel/api/values/time.ts';

/** Where our certificate, with those between it and its authority, and its key are. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate is renewed by writes files, or links to others: looking at them misses none of it. */
const lookEveryMs = 10 * secondMs;
/** A chain of certificates has a few KiB. */
const octetsMax = 1024 * 1024;

/** Certificate and key, if they can be used together; else a sentence for the operator. */
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
  /** Takes the new certificate into use. */
  readonly renew: (tls: ServerTls) => void;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

/**
 * Takes up a new certificate when its files change, and on SIGHUP whether they did or not. One that cannot be used is told of
 * once, and the old one stays in use.
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

  /** Begins to look, from how the files are now. */
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
      log.info({}, 'a new certificate is in use for SMPP over TLS: sessions that are bound keep theirs');
    } else {
      log.error({ why: read.error }, 'the new certificate for SMPP cannot be used, and the old one stays in use');
    }
  }
}

/** Changes with what is in the files, or in what they link to. */
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
