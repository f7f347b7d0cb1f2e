/*
 * The connection of each node holds a lock of the node's lease. A node whose lock is free, or that is frozen, is ended by
 * another one: its row then has the lease as a negative number, so it cannot renew the lease any more.
 */

import { flag, integer, text } from '../../../state/tables/column.ts';
import { shape } from '../../../state/tables/table.ts';
import { leaseLocks, type NodeConnection } from './node-connection.ts';

/** `isEnded`: the node is ended, and nobody has taken over its work yet. */
const watchedShape = shape({
  node: integer,
  name: text,
  lease: integer,
  isEnded: flag,
  renewedAt: text,
  isLocked: flag,
});

type Watched = ReturnType<typeof watchedShape.read>;

/** Leases that have not ended yet, of other nodes. */
const watched = `select member.node, name, node.lease, member.lease < 0, renewed_at::text, exists (select 1 from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
    and classid = $2::bigint::oid and objid = node.lease::oid and objsubid = 2 and mode = 'ShareLock' and granted)
  from member join node on node.id = member.node
  where member.node <> $1::bigint and not is_stopped and abs(member.lease) = node.lease`;

/** Nothing is changed if the node has renewed its lease after all, or has its lock again. */
const ended = `update member set lease = -lease where node = $1::bigint and lease = $2::bigint and renewed_at::text = $3
  and ($5::smallint = 1 or pg_try_advisory_xact_lock($4::int, $2::int)) returning 1`;

export class WatchRows {
  readonly #connection: NodeConnection;

  constructor(connection: NodeConnection) {
    this.#connection = connection;
  }

  /** The leases of other nodes, and the number of the connection of this node. */
  async look(): Promise<{ readonly connection: number; readonly leases: readonly Watched[] }> {
    const values = [this.#connection.self.node, leaseLocks];
    const [found = []] = await this.#connection.send({ text: watched, values });
    return { connection: this.#connection.opened, leases: found.map((each) => watchedShape.read(each)) };
  }

  /** Ends a node: it cannot renew its lease any more. Returns whether it was ended. */
  async end({ node, lease, renewedAt, isLocked }: Omit<Watched, 'name' | 'isEnded'>): Promise<boolean> {
    const values = [node, lease, renewedAt, leaseLocks, isLocked ? 1 : 0];
    const [found = []] = await this.#connection.send({ text: ended, values });
    return found.length === 1;
  }
}
