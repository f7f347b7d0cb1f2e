/* Which node has which link. Each link is a duty, so the carrier never sees more binds than agreed. */

import type { Carrier } from '../../core/routing/carrier.ts';
import type { Nodes } from '../nodes/nodes.ts';
import type { LinkStatus } from './carrier-link.ts';

/** A prime above the most links of a carrier (64), so that first links of carriers are on different nodes, too. */
export const linksFactor = 67;

export class LinkDuties {
  readonly #nodes: Nodes;

  constructor({
    nodes,
    carriers,
    bound,
    changed,
  }: {
    readonly nodes: Nodes;
    /** The carriers that run; none once the gateway stops. */
    readonly carriers: () => readonly Carrier[];
    readonly bound: () => readonly (readonly [carrier: number, link: number])[];
    /** Called when this node got or lost links. Resolves when the lost links are unbound. */
    readonly changed: () => Promise<void>;
  }) {
    this.#nodes = nodes;
    nodes.wish({
      kind: 'link',
      keys: () => carriers().flatMap(keysOf),
      upKeys: () => bound().map(([carrier, link]) => keyOf(carrier, link)),
      changed,
      isShared: true,
    });
  }

  holds(carrier: number, link: number): boolean {
    return this.#nodes.holds('link', keyOf(carrier, link));
  }

  /** The status of a link with the node that has it, which may be another one. `unbound` is the state of other links. */
  placed(carrier: number, status: LinkStatus, unbound: 'stopped' | 'waiting'): LinkStatus {
    const nodes = this.#nodes;
    const key = keyOf(carrier, status.link);
    const node = nodes.holderOf('link', key);
    if (node !== undefined) {
      const isBound = nodes.others().some(({ name, boundLinks }) => name === node && boundLinks.includes(key));
      return isBound ? { ...status, state: 'bound', downSince: null, node } : { ...status, state: unbound, node };
    }
    if (nodes.holds('link', key) || status.state !== 'stopped') return { ...status, node: nodes.name ?? null };
    // No node has the link. A node takes it soon.
    return { ...status, state: unbound };
  }

  boundAtOthers(): ReadonlySet<number> {
    const keys = this.#nodes.others().flatMap(({ boundLinks }) => boundLinks);
    return new Set(keys.map((key) => Math.floor(key / linksFactor)));
  }

  /** Call this when the links of carriers have changed. */
  look(): void {
    this.#nodes.look();
  }

  /** Notifies the other nodes that parts may wait. */
  hint(carriers: Iterable<number>): void {
    this.#nodes.hint('waiting', carriers);
  }

  /** Calls `look` when parts of other nodes may wait for these carriers. A lost hint is given again a second later. */
  onHint(look: (carriers: ReadonlySet<number>) => void): void {
    this.#nodes.onHint('waiting', (carriers) => carriers && look(carriers));
  }
}

function keyOf(carrier: number, link: number): number {
  return carrier * linksFactor + link;
}

function keysOf({ id, links, status }: Carrier): readonly number[] {
  return status === 'drained' ? [] : Array.from({ length: links }, (_each, index) => keyOf(id, index + 1));
}
