import { startGateway } from '../../src/app.ts';
import { environment, readConfig } from '../../src/config.ts';
import { makeLog } from '../../src/runtime/log.ts';
import { calmTimes, quickTimes } from './pair.ts';

/* A gateway in a process of its own, as `morsel serve --json`, whose times between nodes are shorter. */

const nodeTimes = process.env['TEST_NODE_TIMES'] === 'calm' ? calmTimes : quickTimes;
const config = readConfig(environment());
if (!config.ok) throw new Error(config.error);
const gateway = await startGateway(config.value, { log: makeLog(config.value.logLevel), nodeTimes });
const { httpPort, adminPort, smppPort } = gateway;
process.stdout.write(`${JSON.stringify({ httpPort, adminPort, smppPort, pid: process.pid })}\n`);
process.once('SIGTERM', () => void gateway.stop().then(() => process.exit(0)));
