import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Certificates and keys for tests, made by tls/make.sh. */
export const pem = {
  ca: read('ca.pem'),
  carrier: { cert: read('carrier.pem'), key: read('carrier.key') },
  expired: { cert: read('expired.pem'), key: read('expired.key') },
  client: { cert: read('client.pem'), key: read('client.key') },
} as const;

function read(name: string): string {
  return readFileSync(join(import.meta.dirname, 'tls', name), 'utf8');
}
