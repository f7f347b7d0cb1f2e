import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of Morsel, from the package.json of the gateway. */
export const version = readVersion();

function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'));
  const isNamed = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return isNamed && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
