export * from './commands.ts';
export * from './pdu.ts';
export type { DestAddress, UnsuccessSme } from './fields.ts';
export { decode } from './decode.ts';
export { encode, encodeInto } from './encode.ts';
export { Framer } from './framer.ts';
export type { Frame } from './framer.ts';
export * from './statuses.ts';
export * from './tlvs.ts';
export * from './time.ts';
export { MESSAGE_STATES } from './message-state.ts';
export type { MessageState } from './message-state.ts';
export { readReceipt } from './receipt.ts';
export type { Receipt } from './receipt.ts';
export { writeReceipt } from './write-receipt.ts';
export type { ReceiptToWrite } from './write-receipt.ts';
export { connect, ConnectError } from './client.ts';
export type { ConnectFailure, ConnectOptions } from './client.ts';
export { listen } from './server.ts';
export { networkOf } from './unbound.ts';
export { tlsMaterialFault, tlsMaterialProblem } from './tls.ts';
export type { ClientTls, Pem, ServerTls, TlsMaterialFault, TlsNeed } from './tls.ts';
export type { Admission, BindAttempt, Server, ServerOptions } from './server.ts';
export type {
  Answer,
  Ask,
  AskName,
  Respond,
  ResponseFields,
  Session,
  SessionAdjustment,
  SessionHandlers,
  SessionOptions,
} from './session-contract.ts';
export { isBound } from './session-state.ts';
export type { Bind, BindName, BoundPhase, CloseReason, Phase, Version } from './session-state.ts';
export { startSimulator } from './simulator/simulator.ts';
export type { Simulator, SimulatorCounters } from './simulator/simulator.ts';
export type { SimulatorOptions } from './simulator/simulator-options.ts';
export type { JournalEntry } from './simulator/journal.ts';
export { MAGIC } from './simulator/magic.ts';
export type { Behaviour, Ending } from './simulator/plans.ts';
export type { Inbound } from './simulator/inbound.ts';
export { DEMANDS } from './simulator/demands.ts';
export type { Demand } from './simulator/demands.ts';
export { ID_FORMS } from './simulator/ids.ts';
export type { IdForm } from './simulator/ids.ts';
export type { BindRefusal } from './simulator/binds.ts';
export type { ClosingOptions } from './simulator/closing.ts';
export type { Unanswered } from './simulator/wire.ts';
