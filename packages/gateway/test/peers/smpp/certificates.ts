import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../needs.ts';

/** A certificate and its key, in PEM, and the paths of their files. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate authority for these tests, valid for a day. */
export class Authority {
  readonly own: Certificate;
  readonly #folder: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.own = this.#make(name, ['-subj', `/CN=${name}`]);
  }

  /** Issues a certificate for a name, which servers and clients may use. */
  issue(name: string): Certificate {
    const { certFile, keyFile } = this.own;
    const signed = ['-CA', certFile, '-CAkey', keyFile];
    return this.#make(name, [...signed, '-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]);
  }

  #make(name: string, words: readonly string[]): Certificate {
    const certFile = join(this.#folder, `${name}.pem`);
    const keyFile = join(this.#folder, `${name}.key`);
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
    runProgram('openssl', ['req', '-x509', ...key, '-days', '1', '-out', certFile, ...words]);
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8'), certFile, keyFile };
  }
}
