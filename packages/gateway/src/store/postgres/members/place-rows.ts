/* Places of accounts' sessions: rows of the table `duty` with the kind `place`, which end with their node's lease. */

import { isKept, isOwnLease, type NodeConnection } from './node-connection.ts';

/** The key of a place is the account multiplied by this number, plus the number of the place. */
const placesFactor = 1_024;

const givenPlaces = `delete from duty where kind = 'place' and node = $1::bigint and lease = $2::bigint
  and key between $3::bigint and $3::bigint + ${placesFactor - 1} and key <> all ($4::bigint[])`;

const keptPlaces = `select count(*) from duty
  where kind = 'place' and key between $3::bigint and $3::bigint + ${placesFactor - 1} and ${isKept}`;

/** Takes the first free place. If another node takes it at the same moment, this takes none. */
const takenPlace = `insert into duty (kind, key, node, lease) select 'place', $3::bigint + number, $1::bigint, $2::bigint
  from generate_series(0::bigint, $4::bigint - 1) as number where ${isOwnLease} and (${keptPlaces}) < $4::bigint
  and not exists (select 1 from duty where kind = 'place' and key = $3::bigint + number and ${isKept})
  order by number limit 1 on conflict (kind, key) do update set node = excluded.node, lease = excluded.lease
  where not ${isKept} returning key`;

interface PlaceWish {
  readonly account: number;
  readonly max: number;
  readonly held: ReadonlySet<number>;
}

export class PlaceRows {
  readonly #connection: NodeConnection;

  constructor(connection: NodeConnection) {
    this.#connection = connection;
  }

  /** Takes a place for a session. Places of the account that this node no longer uses are given back. */
  async take({ account, max, held }: PlaceWish): Promise<number | 'full'> {
    const { node, lease } = this.#connection.self;
    const first = account * placesFactor;
    for (;;) {
      const [, [place] = [], [[taken, isOwn] = []] = []] = await this.#connection.send(
        { text: givenPlaces, values: [node, lease, first, `{${[...held].join()}}`] },
        { text: takenPlace, values: [node, lease, first, max] },
        { text: `select (${keptPlaces}), ${isOwnLease}`, values: [node, lease, first] },
      );
      if (place) return Number(place[0]);
      // If a place seemed free, another node has just taken it.
      if (!isOwn || Number(taken) >= max) return 'full';
    }
  }

  /** Gives back all places of the account but these. */
  async keep(account: number, held: ReadonlySet<number>): Promise<void> {
    const { node, lease } = this.#connection.self;
    const values = [node, lease, account * placesFactor, `{${[...held].join()}}`];
    await this.#connection.send({ text: givenPlaces, values });
  }
}
