/*
 * The nodes of one database, with their leases and duties. A duty belongs to the node in its row for as long as that
 * node has the lease in its row.
 */

import type { Instant } from '@morsel/api/values/time.ts';
import type { ClockReading, DutyKey, DutyKind, Member, StoredMember } from '../../core/nodes/members.ts';
import { flag, integer, text } from '../../state/tables/column.ts';
import { shape } from '../../state/tables/table.ts';
import { CallRows } from './members/call-rows.ts';
import { connectionOf, isKept, isOwnLease, NodeConnection } from './members/node-connection.ts';
import { PlaceRows } from './members/place-rows.ts';
import { WatchRows } from './members/watch-rows.ts';
import { PostgresConnection } from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';
import { postgresSchema } from './schema.ts';

interface TakenDuty extends DutyKey {
  readonly node: number;
}

type OwnState = Pick<Member, 'settings' | 'boundLinks' | 'sessions' | 'clockOffMs'>;

export interface Renewed {
  /** Whether this node still has its lease. */
  readonly isOwn: boolean;
  readonly at: Instant;
  readonly settings: number;
  readonly members: readonly StoredMember[];
  /** The wanted duties that a node has. */
  readonly taken: readonly TakenDuty[];
  /** The asked accounts whose sessions get their notifications from another node. */
  readonly sessionsElsewhere: ReadonlySet<number>;
}

/** SQL: the clock of the database, in milliseconds. */
const clockSql = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** A query before the measured one warms up the connection, so that the answer does not wait for anything. */
export async function readClock(url: string, now: () => Instant): Promise<ClockReading> {
  await using connection = await PostgresConnection.open(url);
  await connection.send([{ text: `select ${clockSql}` }]);
  const sentAt = now();
  const [[[at] = []] = []] = await connection.send([{ text: `select ${clockSql}` }]);
  return { sentAt, at: Number(at), answeredAt: now() };
}

/**
 * Finds a process that renews the lease of this node name. Undefined if the server has no connection of one. The address
 * of the process is null on the machine of the database.
 */
export async function findTwin(url: string, name: string) {
  await using connection = await PostgresConnection.open(url);
  const sql = `select renewed_at::text, host(client_addr) from member, pg_stat_activity
    where name = $1 and not is_stopped and application_name = $2 and datname = current_database() limit 1`;
  const [[found] = []] = await connection.send([{ text: sql, values: [name, connectionOf(name)] }]);
  return found && { renewedAt: String(found[0]), address: found[1] === null ? null : String(found[1]) };
}

const renewal = `update member set renewed_at = clock_timestamp(), settings = $3, bound_links = $4::bigint[], sessions = $5, clock_off = $6
  where node = $1::bigint and lease = $2::bigint and ${isOwnLease} returning 1`;

const allMembers: Statement = {
  text: `select member.node, name, (extract(epoch from clock_timestamp() - renewed_at) * 1000)::bigint, is_stopped,
    is_draining, settings, release, member.lease, node.lease = member.lease,
    (select count(*) from duty where duty.node = member.node and duty.lease = node.lease and kind <> 'place'),
    array_to_string(bound_links, ','), sessions, clock_off, renewed_at::text
    from member join node on node.id = member.node order by member.node`,
};

const wished = 'unnest($3::text[], $4::bigint[]) as wish (kind, key)';

export class NodeMembers extends NodeConnection {
  readonly places = new PlaceRows(this);
  readonly calls = new CallRows(this);
  readonly watch = new WatchRows(this);

  async join(): Promise<void> {
    const { node, lease, release } = this.self;
    const own: Statement = {
      text: `update member set lease = $2, renewed_at = clock_timestamp(), is_stopped = false, is_draining = false,
        bound_links = '{}', sessions = 0, settings = 0, release = $3, program = $4 where node = $1`,
      values: [node, lease, release, postgresSchema().length],
    };
    const rest: Statement = { text: 'delete from duty where node = $1 and lease <> $2', values: [node, lease] };
    await this.send(own, rest);
  }

  async renew(
    { settings, boundLinks, sessions, clockOffMs }: OwnState,
    wanted: readonly DutyKey[],
    accounts: Iterable<number>,
  ): Promise<Renewed> {
    const { node, lease } = this.self;
    const [own, [[version, at] = []] = [], members = [], taken = [], elsewhere = []] = await this.send(
      { text: renewal, values: [node, lease, settings, `{${boundLinks.join()}}`, sessions, clockOffMs] },
      { text: `select version, ${clockSql} from setting` },
      allMembers,
      {
        text: `select duty.kind, duty.key, duty.node from duty join ${wished} on wish.kind = duty.kind and wish.key = duty.key
          where $1::bigint is not null and $2::bigint is not null and ${isKept}`,
        values: this.#keys(wanted),
      },
      {
        text: `select key from duty where kind = 'sessions' and node <> $1 and key = any ($2::bigint[]) and ${isKept}`,
        values: [node, `{${[...accounts].join()}}`],
      },
    );
    return {
      isOwn: own?.length === 1,
      at: Number(at),
      settings: Number(version),
      members: members.map(memberOf),
      taken: taken.map((each) => ({ ...dutyOf(each), node: Number(each[2]) })),
      sessionsElsewhere: new Set(elsewhere.map(([key]) => Number(key))),
    };
  }

  /** Takes those of the duties that no node has, and returns them. */
  async take(duties: readonly DutyKey[]): Promise<readonly DutyKey[]> {
    const [taken = []] = await this.send({
      text: `insert into duty (kind, key, node, lease) select wish.kind, wish.key, $1::bigint, $2::bigint from ${wished}
        where ${isOwnLease} on conflict (kind, key) do update set node = excluded.node, lease = excluded.lease
        where not ${isKept} returning kind, key`,
      values: this.#keys(duties),
    });
    return taken.map(dutyOf);
  }

  /** Gives duties back. Call this after their work has stopped. */
  async giveBack(duties: readonly DutyKey[]): Promise<void> {
    await this.send({
      text: `delete from duty using ${wished}
        where duty.kind = wish.kind and duty.key = wish.key and node = $1::bigint and lease = $2::bigint`,
      values: this.#keys(duties),
    });
  }

  /** Asks a node to give its work to other nodes, or to take work again. Returns whether the node exists. */
  async drain(name: string, isDraining: boolean): Promise<boolean> {
    const [found] = await this.send({
      text: 'update member set is_draining = $2 where name = $1 and not is_stopped returning 1',
      values: [name, isDraining ? 'true' : 'false'],
    });
    return found?.length === 1;
  }

  async leave(): Promise<void> {
    const { node, lease } = this.self;
    await this.send(
      { text: 'delete from duty where node = $1 and lease = $2', values: [node, lease] },
      { text: 'update member set is_stopped = true where node = $1 and lease = $2', values: [node, lease] },
    );
    await this.close();
  }

  #keys(duties: readonly DutyKey[]): (number | string)[] {
    const { node, lease } = this.self;
    return [node, lease, `{${duties.map(({ kind }) => kind).join()}}`, `{${duties.map(({ key }) => key).join()}}`];
  }
}

/** `boundLinks` are ids with commas between them. */
const memberShape = shape({
  node: integer,
  name: text,
  storedAgoMs: integer,
  isStopped: flag,
  isDraining: flag,
  settings: integer,
  release: text,
  lease: integer,
  hasLease: flag,
  duties: integer,
  boundLinks: text,
  sessions: integer,
  clockOffMs: integer,
  renewedAt: text,
});

function memberOf(stored: Found[number]): StoredMember {
  const { boundLinks, ...member } = memberShape.read(stored);
  return { ...member, boundLinks: boundLinks.split(',').filter(Boolean).map(Number) };
}

function dutyOf([kind, key]: Found[number]): DutyKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gateway writes kinds
  return { kind: kind as DutyKind, key: Number(key) };
}
