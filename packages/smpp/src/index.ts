/*
 * @morsel/smpp: SMPP 3.3, 3.4 and 5.0 for clients and servers.
 *
 * `connect` and `listen` open SMPP sessions over sockets (folder `transport`). Each session is a state machine without
 * input and output (folder `session`). `Framer`, `decode` and `encode` turn bytes into PDUs and PDUs into bytes (folder
 * `codec`). `readReceipt` and `writeReceipt` handle delivery receipts (folder `receipt`).
 */
export * from './codec/commands.ts';
export * from './codec/pdu.ts';
export type { DestAddress, UnsuccessSme } from './codec/fields.ts';
export { decode } from './codec/decode.ts';
export { encode, encodeInto } from './codec/encode.ts';
export { Framer } from './codec/framer.ts';
export type { Frame } from './codec/framer.ts';
export * from './codec/statuses.ts';
export * from './codec/tlvs.ts';
export * from './codec/time.ts';
export { messageStateTable } from './receipt/message-state.ts';
export type { MessageState } from './receipt/message-state.ts';
export { readReceipt } from './receipt/read-receipt.ts';
export type { Receipt } from './receipt/read-receipt.ts';
export { writeReceipt } from './receipt/write-receipt.ts';
export type { ReceiptToWrite } from './receipt/write-receipt.ts';
export { connect, ConnectError } from './transport/client.ts';
export type { ConnectFailure, ConnectOptions } from './transport/client.ts';
export { listen } from './transport/server.ts';
export { Lobby, networkOf } from './transport/lobby.ts';
export type { Balancers, LobbyOptions, Place, Standing } from './transport/lobby.ts';
export { tlsMaterialFault, tlsMaterialProblem } from './transport/tls.ts';
export type { ClientTls, Pem, ServerTls, TlsMaterialFault, TlsNeed } from './transport/tls.ts';
export type { Admission, BindAttempt, Server, ServerOptions } from './transport/server.ts';
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
  Sink,
  Unnumbered,
} from './session/session-contract.ts';
export { isBound } from './session/session-state.ts';
export type { Bind, BindName, BoundPhase, CloseReason, Phase, Version } from './session/session-state.ts';
