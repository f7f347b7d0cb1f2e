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
export { messageStateTable } from './message-state.ts';
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
  Unnumbered,
} from './session-contract.ts';
export type { Sink } from './outbox.ts';
export { isBound } from './session-state.ts';
export type { Bind, BindName, BoundPhase, CloseReason, Phase, Version } from './session-state.ts';
