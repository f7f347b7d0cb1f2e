import { readFile, stat } from 'node:fs/promises';
import { faultCode } from '../core/base/fault-code.ts';
import { tlsMaterialProblem, type ServerTls } from '@morsel/smpp';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { Loop } from '../runtime/loop.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Tools } from '../flow/ports.ts';

/* Reads the certificate of a listener with TLS from its files, and replaces the certificate while the gateway runs. */

/** The paths of the certificate file and of the key file. Intermediate certificates follow the certificate in its file. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A port for connections with TLS. */
export interface CertificatePort extends CertificateFiles {
  readonly host: string;
  /** The port number; 0 for any free port. */
  readonly port: number;
}

/** The certificate cannot be used. The error text is for the operator. */
export class CertificateRefused extends Error {}

/** Tools that renew certificates write the files, or change symbolic links. Polling notices both kinds of change. */
const lookEveryMs = 10 * secondMs;
/** The most octets of a certificate or key file. A usual chain of certificates has a few KiB. */
const octetsMax = 1024 * 1024;

/** Reads the certificate and its key. If certificate and key cannot be used together, returns an error for the operator. */
export async function readCertificate({ cert, key }: CertificateFiles): Promise<Result<ServerTls, string>> {
  const files: string[] = [];
  for (const file of [cert, key]) {
    try {
      const text = await readFile(file, 'utf8');
      if (text.length > octetsMax) return refused(`${file} is too large for a certificate or key`);
      files.push(text);
    } catch (fault) {
      return refused(`${file} cannot be read: ${faultCode(fault)}`);
    }
  }
  const [certText = '', keyText = ''] = files;
  const problem = tlsMaterialProblem({ cert: certText, key: keyText });
  if (problem !== undefined) return refused(`${problem} (${cert}, ${key})`);
  return ok({ cert: certText, key: keyText });
}

/** A listener that uses a certificate, for errors and log lines. */
type Listener = 'SMPP over TLS' | 'the HTTP API over TLS' | 'the operator API over TLS';

/** Reads the certificate of a listener that is opened. Throws `CertificateRefused`. */
export async function certificateFor(listener: Listener, files: CertificateFiles): Promise<ServerTls> {
  const certificate = await readCertificate(files);
  if (!certificate.ok) throw new CertificateRefused(`${listener}: ${certificate.error}`);
  return certificate.value;
}

interface WatchNeeds extends Pick<Tools, 'log' | 'clock'> {
  readonly listener: Listener;
  readonly files: CertificateFiles;
  /** Uses the new certificate for all new connections. */
  readonly renew: (tls: ServerTls) => void;
}

/**
 * Reads the certificate again when its files change, and at each SIGHUP. If the new certificate cannot be used, the gateway logs
 * an error once and keeps the old certificate.
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
    this.#loop = new Loop({
      ...needs,
      name: 'look at the certificate',
      everyMs: lookEveryMs,
      turn: () => this.#look(),
    });
    process.on('SIGHUP', this.#onHangUp);
  }

  static async start(needs: WatchNeeds): Promise<CertificateWatch> {
    return new CertificateWatch(needs, await stampOf(needs.files));
  }

  [Symbol.dispose](): void {
    void this.#loop.stop();
    process.off('SIGHUP', this.#onHangUp);
  }

  async #look(): Promise<void> {
    const { files, renew, log, listener } = this.#needs;
    const stamp = await stampOf(files);
    if (!this.#isForced && stamp === this.#seen) return;
    this.#isForced = false;
    this.#seen = stamp;
    const read = await readCertificate(files);
    if (read.ok) {
      renew(read.value);
      log.info({}, `new certificate for ${listener} in use; open connections keep the old certificate`);
    } else {
      const kept = `new certificate for ${listener} cannot be used; the old certificate stays in use`;
      log.error({ why: read.error }, kept);
    }
  }
}

/** A text that changes whenever one of the files changes, even if the file is reached through a symbolic link. */
async function stampOf({ cert, key }: CertificateFiles): Promise<string> {
  const stamps = [cert, key].map(async (file) => {
    try {
      const { ino, size, mtimeMs } = await stat(file);
      return `${ino} ${size} ${mtimeMs}`;
    } catch (fault) {
      return faultCode(fault);
    }
  });
  return (await Promise.all(stamps)).join();
}
