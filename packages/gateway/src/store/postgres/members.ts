/*
 * What the nodes of one database say of themselves: their leases, and their duties. A duty belongs to the node in its
 * row for as long as that node has the lease in its row.
 */

import { hintKinds } from '../../core/nodes/members.ts';
import type { DutyKey, DutyKind, Hint, Member } from '../../core/nodes/members.ts';
import { ConnectionLost, hintsChannel, PostgresConnection, settingsChannel } from './wire/connection.ts';
import type { Found, Statement } from './wire/flight.ts';
import { postgresSchema } from './schema.ts';

/** A payload of NOTIFY has up to 8,000 octets. */
const hintKeysMax = 400;

/** A duty, and the node that has it. */
interface TakenDuty extends DutyKey {
  readonly node: number;
}

/** What a node says of itself. */
type OwnState = Pick<Member, 'settings' | 'boundLinks' | 'sessions'>;

/** The answer to the renewal of a lease. */
export interface Renewed {
  /** Whether the lease is still this node's. */
  readonly isOwn: boolean;
  /** The version of the operator's settings. */
  readonly settings: number;
  readonly members: readonly Member[];
  /** Those of the wanted duties that a node has. */
  readonly taken: readonly TakenDuty[];
  /** Those of the asked accounts whose sessions get their notifications from another node. */
  readonly sessionsElsewhere: ReadonlySet<number>;
}

interface Self {
  readonly url: string;
  readonly node: number;
  readonly lease: number;
  /** The version of its program. */
  readonly release: string;
}

const isOwnLease = 'exists (select 1 from node where node.id = $1::bigint and node.lease = $2::bigint)';

const renewal = `update member set renewed_at = clock_timestamp(), settings = $3, bound_links = $4::bigint[], sessions = $5
  where node = $1::bigint and ${isOwnLease} returning 1`;

const allMembers: Statement = {
  text: `select member.node, name, (extract(epoch from clock_timestamp() - renewed_at) * 1000)::bigint, is_stopped,
    is_draining, settings, release, member.lease, node.lease = member.lease,
    (select count(*) from duty where duty.node = member.node and duty.lease = node.lease and kind <> 'place'),
    array_to_string(bound_links, ','), sessions
    from member join node on node.id = member.node order by member.node`,
};

const wished = 'unnest($3::text[], $4::bigint[]) as wish (kind, key)';
/** The node of a duty still has the lease in its row. */
const isKept = 'exists (select 1 from node where node.id = duty.node and node.lease = duty.lease)';

/** Each place of an account's sessions is a row, too. Its key is that of the account and the number of the place. */
const placesFactor = 1_024;

const givenPlaces = `delete from duty where kind = 'place' and node = $1::bigint and lease = $2::bigint
  and key between $3::bigint and $3::bigint + ${placesFactor - 1} and key <> all ($4::bigint[])`;

const keptPlaces = `select count(*) from duty
  where kind = 'place' and key between $3::bigint and $3::bigint + ${placesFactor - 1} and ${isKept}`;

/** The first free place. If another node takes it meanwhile, this takes none. */
const takenPlace = `insert into duty (kind, key, node, lease) select 'place', $3::bigint + number, $1::bigint, $2::bigint
  from generate_series(0::bigint, $4::bigint - 1) as number where ${isOwnLease} and (${keptPlaces}) < $4::bigint
  and not exists (select 1 from duty where kind = 'place' and key = $3::bigint + number and ${isKept})
  order by number limit 1 on conflict (kind, key) do update set node = excluded.node, lease = excluded.lease
  where not ${isKept} returning key`;

/** Calls that nobody waits for any more. */
const oldCalls = `delete from call where made_at < clock_timestamp() - interval '1 minute'`;

/** A call of another node. */
interface Call {
  readonly id: number;
  readonly name: string;
  /** JSON. */
  readonly body: string;
}

interface CallAnswer {
  readonly node: number;
  /** JSON. */
  readonly body: string;
}

interface PlaceWish {
  readonly account: number;
  /** How many places the account has. */
  readonly max: number;
  /** The places that this node has already. */
  readonly held: ReadonlySet<number>;
}

/** What one node tells and asks the database about the nodes, on a connection of its own. */
export class NodeMembers {
  readonly #self: Self;
  #connection: PostgresConnection | undefined;
  #hasLeft = false;

  /** Called when a node has changed the operator's settings. */
  heardSettings: () => void = () => undefined;
  /** Called with what another node says. */
  heardHint: (hint: Hint) => void = () => undefined;

  constructor(self: Self) {
    this.#self = self;
  }

  /** Says that this node begins with a new lease. It has no duties yet. */
  async join(): Promise<void> {
    const { node, lease, release } = this.#self;
    const own: Statement = {
      text: `update member set lease = $2, renewed_at = clock_timestamp(), is_stopped = false, is_draining = false,
        bound_links = '{}', sessions = 0, settings = 0, release = $3, program = $4 where node = $1`,
      values: [node, lease, release, postgresSchema().length],
    };
    const rest: Statement = { text: 'delete from duty where node = $1 and lease <> $2', values: [node, lease] };
    await this.#send(own, rest);
  }

  /** Renews the lease, and asks what the other nodes do. */
  async renew(
    { settings, boundLinks, sessions }: OwnState,
    wanted: readonly DutyKey[],
    accounts: Iterable<number>,
  ): Promise<Renewed> {
    const { node, lease } = this.#self;
    const [own, [[version] = []] = [], members = [], taken = [], elsewhere = []] = await this.#send(
      { text: renewal, values: [node, lease, settings, `{${boundLinks.join()}}`, sessions] },
      { text: 'select version from setting' },
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
      settings: Number(version),
      members: members.map(memberOf),
      taken: taken.map((each) => ({ ...dutyOf(each), node: Number(each[2]) })),
      sessionsElsewhere: new Set(elsewhere.map(([key]) => Number(key))),
    };
  }

  /** Takes duties that no node has. Returns those that it got. */
  async take(duties: readonly DutyKey[]): Promise<readonly DutyKey[]> {
    const [taken = []] = await this.#send({
      text: `insert into duty (kind, key, node, lease) select wish.kind, wish.key, $1::bigint, $2::bigint from ${wished}
        where ${isOwnLease} on conflict (kind, key) do update set node = excluded.node, lease = excluded.lease
        where not ${isKept} returning kind, key`,
      values: this.#keys(duties),
    });
    return taken.map(dutyOf);
  }

  /** Gives duties back, after their work has stopped. */
  async giveBack(duties: readonly DutyKey[]): Promise<void> {
    await this.#send({
      text: `delete from duty using ${wished}
        where duty.kind = wish.kind and duty.key = wish.key and node = $1::bigint and lease = $2::bigint`,
      values: this.#keys(duties),
    });
  }

  /** Takes a place for a session, and gives back those of the account that this node does not hold. */
  async takePlace({ account, max, held }: PlaceWish): Promise<number | 'full'> {
    const { node, lease } = this.#self;
    const first = account * placesFactor;
    for (;;) {
      const [, [place] = [], [[taken, isOwn] = []] = []] = await this.#send(
        { text: givenPlaces, values: [node, lease, first, `{${[...held].join()}}`] },
        { text: takenPlace, values: [node, lease, first, max] },
        { text: `select (${keptPlaces}), ${isOwnLease}`, values: [node, lease, first] },
      );
      if (place) return Number(place[0]);
      // Otherwise another node has taken the same place just now.
      if (!isOwn || Number(taken) >= max) return 'full';
    }
  }

  /** Gives back the places of the account that this node does not hold. */
  async keepPlaces(account: number, held: ReadonlySet<number>): Promise<void> {
    const { node, lease } = this.#self;
    const values = [node, lease, account * placesFactor, `{${[...held].join()}}`];
    await this.#send({ text: givenPlaces, values });
  }

  /** Calls the other nodes. Returns the id of the call. */
  async call(name: string, body: string): Promise<number> {
    const [, [[id] = []] = []] = await this.#send(
      { text: oldCalls },
      {
        text: 'insert into call (node, name, body) values ($1, $2, $3) returning id',
        values: [this.#self.node, name, body],
      },
    );
    await this.hint({ kind: 'call', keys: [] });
    return Number(id);
  }

  async answers(call: number): Promise<readonly CallAnswer[]> {
    const [found = []] = await this.#send({ text: 'select node, body from answer where call = $1', values: [call] });
    return found.map(([node, body]) => ({ node: Number(node), body: String(body) }));
  }

  async endCall(call: number): Promise<void> {
    await this.#send({ text: 'delete from call where id = $1', values: [call] });
  }

  /** The calls that this node has not answered, the oldest first. */
  async calls(max: number): Promise<readonly Call[]> {
    const [found = []] = await this.#send({
      text: `select id, name, body from call where node <> $1
        and not exists (select 1 from answer where answer.call = call.id and answer.node = $1) order by id limit $2`,
      values: [this.#self.node, max],
    });
    return found.map(([id, name, body]) => ({ id: Number(id), name: String(name), body: String(body) }));
  }

  async answerCall(call: number, body: string): Promise<void> {
    const values = [call, this.#self.node, body];
    const text = `insert into answer (call, node, body) select id, $2, $3 from call where id = $1 on conflict do nothing`;
    await this.#send({ text, values });
  }

  /** Asks the node with this name to give its work to the others, or to take some again. Returns whether there is one. */
  async drain(name: string, isDraining: boolean): Promise<boolean> {
    const [found] = await this.#send({
      text: 'update member set is_draining = $2 where name = $1 and not is_stopped returning 1',
      values: [name, isDraining ? 'true' : 'false'],
    });
    return found?.length === 1;
  }

  /** Says that this node has stopped and has no duties. */
  async leave(): Promise<void> {
    const { node, lease } = this.#self;
    await this.#send(
      { text: 'delete from duty where node = $1 and lease = $2', values: [node, lease] },
      { text: 'update member set is_stopped = true where node = $1 and lease = $2', values: [node, lease] },
    );
    this.#hasLeft = true;
    await this.#connection?.close();
  }

  /** Tells the other nodes where they may find work. Nothing depends on it: they also look each second. */
  async hint({ kind, keys }: Hint): Promise<void> {
    const payload = [this.#self.node, kind, ...keys.slice(0, hintKeysMax)].join(' ');
    await this.#send({ text: 'select pg_notify($1, $2)', values: [hintsChannel, payload] });
  }

  #hear(channel: string, payload: string): void {
    if (channel === settingsChannel) {
      this.heardSettings();
      return;
    }
    const [node, kind, ...keys] = payload.split(' ');
    if (Number(node) === this.#self.node) return;
    const known = hintKinds.find((each) => each === kind);
    if (known) this.heardHint({ kind: known, keys: keys.map(Number) });
  }

  #keys(duties: readonly DutyKey[]): (number | string)[] {
    const { node, lease } = this.#self;
    return [node, lease, `{${duties.map(({ kind }) => kind).join()}}`, `{${duties.map(({ key }) => key).join()}}`];
  }

  async #send(...statements: readonly Statement[]): Promise<Found[]> {
    if (this.#hasLeft) throw new ConnectionLost('this node has left');
    if (!this.#connection || this.#connection.isLost) {
      const connection = await PostgresConnection.open(this.#self.url);
      await connection.listen([settingsChannel, hintsChannel], (channel, payload) => this.#hear(channel, payload));
      this.#connection = connection;
    }
    return this.#connection.send(statements);
  }
}

function memberOf([
  node,
  name,
  ago,
  stopped,
  draining,
  settings,
  release,
  lease,
  hasLease,
  duties,
  boundLinks,
  sessions,
]: Found[number]): Member {
  return {
    node: Number(node),
    name: String(name),
    agoMs: Number(ago),
    isStopped: Boolean(stopped),
    isDraining: Boolean(draining),
    settings: Number(settings),
    release: String(release),
    duties: Number(duties),
    boundLinks: String(boundLinks).split(',').filter(Boolean).map(Number),
    sessions: Number(sessions),
    lease: Number(lease),
    hasLease: Boolean(hasLease),
  };
}

function dutyOf([kind, key]: Found[number]): DutyKey {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the gateway writes kinds
  return { kind: kind as DutyKind, key: Number(key) };
}
