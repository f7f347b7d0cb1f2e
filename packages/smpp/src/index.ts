export * from './commands.ts';
export * from './pdu.ts';
export type { DestAddress, UnsuccessSme } from './fields.ts';
