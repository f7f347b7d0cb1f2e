/*
 * @morsel/simulator: a carrier (SMSC) that speaks SMPP, to develop and test against.
 *
 * `startSimulator({ port: 0 })` listens on 127.0.0.1 and accepts any bind. The simulator accepts every message and
 * sends a DELIVRD receipt. The last four digits of a receiver may select another behaviour, for example a refusal, a
 * late receipt or a reply: `endings` is the table of these endings. Options limit the throughput and the window. Tests
 * script further behaviours with `behaviourOf`. The journal records every event.
 */
export { startSimulator } from './simulator.ts';
export type { Simulator, SimulatorCounters } from './simulator.ts';
export type { SimulatorOptions } from './options.ts';
export type { JournalEntry } from './journal.ts';
export { endings } from './endings.ts';
export type { Behaviour, ReceiptPlan } from './plans.ts';
export type { Inbound } from './inbound.ts';
