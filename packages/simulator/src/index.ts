/*
 * @morsel/simulator: a carrier (SMSC) that speaks SMPP, to develop and test against.
 *
 * `startSimulator({ port: 0 })` listens on 127.0.0.1 and accepts any bind. The simulator accepts every message and
 * sends a DELIVRD receipt. Special last four digits of a receiver select another behaviour, for example a refusal, a
 * late or damaged answer, an unusual receipt or a reply. `magic` lists these special digits (magic endings) with
 * descriptions. Options limit the throughput and the window, refuse binds, make demands on messages, and end
 * connections. The journal records every event.
 */
export { startSimulator } from './simulator.ts';
export type { Simulator, SimulatorCounters } from './simulator.ts';
export type { SimulatorOptions } from './options.ts';
export type { JournalEntry } from './journal.ts';
export { magic } from './endings.ts';
export type { Behaviour, Ending } from './plans.ts';
export type { Inbound } from './inbound.ts';
export { demands } from './requirements.ts';
export type { Demand } from './requirements.ts';
export { idForms } from './delivery/ids.ts';
export type { IdForm } from './delivery/ids.ts';
export type { BindRefusal } from './answer/binds.ts';
export type { ClosingOptions } from './answer/closing.ts';
export type { Unanswered } from './answer/wire.ts';
