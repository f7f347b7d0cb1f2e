/* The connection for queries about nodes, and for hints from other nodes. It is opened again by itself. */

import { hintKinds, type Hint } from '../../../core/nodes/members.ts';
import {
  ConnectionLost,
  hintsChannel,
  PostgresConnection,
  settingsChannel,
  type DatabaseConnection,
} from '../wire/connection.ts';
import type { Found, Statement } from '../wire/flight.ts';

/** The most keys of one hint: a payload of NOTIFY has up to 8,000 octets. */
const hintKeysMax = 400;

const connectionNameMax = 63;

interface Self {
  readonly node: number;
  readonly lease: number;
  readonly release: string;
}

/** SQL: the lease is still that of the node. The first two values are this node and its lease. */
export const isOwnLease = 'exists (select 1 from node where node.id = $1::bigint and node.lease = $2::bigint)';

/** SQL: whether the node of a duty still has the lease in the duty's row. */
export const isKept = 'exists (select 1 from node where node.id = duty.node and node.lease = duty.lease)';

/** The name of a node's connection in pg_stat_activity, which cuts longer names. */
export function connectionOf(name: string): string {
  return `morsel ${name}`.slice(0, connectionNameMax);
}

/** The first half of the locks of leases: `Leas` in ASCII. The second half is the lease, which no other node has. */
export const leaseLocks = 1_281_712_499;

/** Nothing came from a machine for so long: its connection ends. */
const goneMs = 8_000;

/**
 * What a connection does first. The lock is shared, because the server may not have noticed yet that the connection
 * before it is lost.
 */
function lockLease(lease: number): readonly Statement[] {
  return [
    { text: `set tcp_user_timeout = ${goneMs}` },
    { text: 'set tcp_keepalives_idle = 2' },
    { text: 'set tcp_keepalives_interval = 2' },
    { text: 'select pg_advisory_lock_shared($1::int, $2::int)', values: [leaseLocks, lease] },
  ];
}

export class NodeConnection {
  readonly self: Self;
  readonly #url: string;
  readonly #name: string;
  #connection: DatabaseConnection | undefined;
  #opening: Promise<DatabaseConnection> | undefined;
  #hasLeft = false;
  /** How many connections were opened. */
  opened = 0;

  heardSettings: () => void = () => undefined;
  heardHint: (hint: Hint) => void = () => undefined;

  constructor({ url, name, ...self }: Self & { readonly url: string; readonly name: string }) {
    this.self = self;
    this.#url = url;
    this.#name = connectionOf(name);
  }

  /** Tells other nodes where they may find work. A hint may be lost: nodes also look for work each second. */
  async hint({ kind, keys }: Hint): Promise<void> {
    const payload = [this.self.node, kind, ...keys.slice(0, hintKeysMax)].join(' ');
    await this.send({ text: 'select pg_notify($1, $2)', values: [hintsChannel, payload] });
  }

  #hear(channel: string, payload: string): void {
    if (channel === settingsChannel) {
      this.heardSettings();
      return;
    }
    const [node, kind, ...keys] = payload.split(' ');
    if (Number(node) === this.self.node) return;
    const known = hintKinds.find((each) => each === kind);
    if (known) this.heardHint({ kind: known, keys: keys.map(Number) });
  }

  /** Sends statements in one flight. Connects if there is no connection. */
  async send(...statements: readonly Statement[]): Promise<Found[]> {
    if (this.#hasLeft) throw new ConnectionLost('this node has left');
    if (this.#connection?.isLost === true) this.#connection = undefined;
    if (this.#connection) return this.#connection.send(statements);
    // Other calls wait for the same connection meanwhile.
    this.#opening ??= this.#open().finally(() => (this.#opening = undefined));
    return (await this.#opening).send(statements);
  }

  protected connect(): Promise<DatabaseConnection> {
    return PostgresConnection.open(this.#url, [], { name: this.#name });
  }

  async #open(): Promise<DatabaseConnection> {
    const connection = await this.connect();
    try {
      await connection.send(lockLease(this.self.lease));
      await connection.listen([settingsChannel, hintsChannel], (channel, payload) => this.#hear(channel, payload));
    } catch (fault) {
      connection.destroy();
      throw fault;
    }
    if (this.#hasLeft) await connection.close();
    this.#connection = connection;
    this.opened += 1;
    return connection;
  }

  async close(): Promise<void> {
    this.#hasLeft = true;
    await this.#connection?.close();
  }
}
