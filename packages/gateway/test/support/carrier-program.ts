import { startSimulator } from '@morsel/simulator';

/*
 * The carrier in a process of its own, so that it lives on when the gateway is killed. It appends what happens to the
 * journal that is named first, keeps receipts back for as long as the second word says, and prints its port.
 */

const [journal = '', receiptDelayMs = '0'] = process.argv.slice(2);

const simulator = await startSimulator({
  port: 0,
  journal,
  journalTexts: true,
  receiptDelayMs: Number(receiptDelayMs),
  retryMs: 200,
});
process.stdout.write(`${simulator.port}\n`);
process.once('SIGTERM', () => void simulator.close().then(() => process.exit(0)));
