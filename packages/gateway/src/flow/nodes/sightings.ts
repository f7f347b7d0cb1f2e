import type { Member, StoredMember } from '../../core/nodes/members.ts';

/*
 * When this node saw renewals, on its own monotonic clock: the database's clock may be set, or change in a failover.
 */

export class Sightings {
  #seen = new Map<number, { readonly renewedAt: string; readonly at: number }>();

  /** The nodes, with how long ago their newest renewal was seen first. */
  see(members: readonly StoredMember[], now: number): readonly Member[] {
    const seen = members.map(({ node, renewedAt, storedAgoMs }) => {
      const known = this.#seen.get(node);
      const at = known ? now : now - storedAgoMs;
      return [node, known?.renewedAt === renewedAt ? known : { renewedAt, at }] as const;
    });
    this.#seen = new Map(seen);
    return members.map(({ renewedAt: _renewedAt, storedAgoMs: _storedAgoMs, ...member }) => ({
      ...member,
      agoMs: now - (this.#seen.get(member.node)?.at ?? now),
    }));
  }
}
