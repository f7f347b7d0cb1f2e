import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endsWithUs } from '../packages/gateway/test/support/ends-with-us.ts';
import { freePort, setUp } from '../packages/gateway/test/peers/set-up.ts';
import { windowMax } from './morsel.ts';
import type { Prepared } from './morsel.ts';
import { GatewayProcess } from '../packages/gateway/test/support/gateway-process.ts';

/** Prepares a data directory in `folder` with `messages` delivered messages. */
export async function prepareStore(folder: string, messages: number): Promise<Prepared> {
  const carrierPort = await freePort();
  const { token } = await setUpOnce(folder, carrierPort);
  if (messages > 0) {
    const filler = [join(import.meta.dirname, 'fill.ts'), folder, String(messages)];
    const filling = promisify(execFile)(process.execPath, filler);
    endsWithUs(filling.child);
    await filling;
  }
  return { dataDir: folder, token, carrierPort };
}

async function setUpOnce(dataDir: string, carrierPort: number): Promise<{ readonly token: string }> {
  await using program = await GatewayProcess.start({ dataDir });
  return await setUp(program, { port: carrierPort, window: windowMax });
}
