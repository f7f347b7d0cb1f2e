export * from './commands.ts';
export * from './pdu.ts';
export type { DestAddress, UnsuccessSme } from './fields.ts';
export { decode } from './decode.ts';
export { encode, encodeInto } from './encode.ts';
export { Framer } from './framer.ts';
export type { Frame } from './framer.ts';
export * from './statuses.ts';
export * from './tlvs.ts';
