/** A client for `bench/deliver.ts`: binds sessions, acknowledges and counts deliver_sm, and prints the count. */
import { connect } from '@morsel/smpp';
import type { Session } from '@morsel/smpp';

const [port, sessions] = process.argv.slice(2).map(Number);
let told = 0;
const bound: Session[] = [];
for (let at = 0; at < (sessions ?? 0); at++) {
  bound.push(
    await connect({
      host: '127.0.0.1',
      port: port ?? 0,
      bind: { command: 'bind_receiver', system_id: 'acme', password: 'secret', interface_version: 0x34 },
      onRequest: (_pdu, respond) => {
        told += 1;
        respond(0);
      },
    }),
  );
}
process.send?.({ told });
setInterval(() => process.send?.({ told }), 20);
process.once('disconnect', () => process.exit(0));
