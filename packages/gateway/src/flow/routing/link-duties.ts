/*
 * Which node of the store has which link of a carrier. Each link is a duty, so the carrier never sees more binds than
 * agreed; the links of a carrier are spread over the nodes.
 */

import type { Carrier } from '../../core/routing/carrier.ts';
import type { Nodes } from '../nodes/nodes.ts';

/**
 * Keys of duties: the links of a carrier follow each other. The factor is a prime number above the most links of a
 * carrier (64), so that the first links of carriers are spread over the nodes, too.
 */
const linksFactor = 67;

/** A link that another node has. */
export interface OtherLink {
  /** The name of the node. */
  readonly node: string;
  readonly isBound: boolean;
}

interface LinkDutiesNeeds {
  readonly nodes: Nodes;
  /** The carriers that run; none once the gateway stops. */
  readonly carriers: () => readonly Carrier[];
  /** The links that are bound here. */
  readonly bound: () => readonly (readonly [carrier: number, link: number])[];
  /** This node has links that it had not, or has some no longer. Resolves when those are unbound. */
  readonly changed: () => Promise<void>;
}

export class LinkDuties {
  readonly #nodes: Nodes;

  constructor({ nodes, carriers, bound, changed }: LinkDutiesNeeds) {
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

  /** The other node that has this link; undefined if there is none. */
  other(carrier: number, link: number): OtherLink | undefined {
    const key = keyOf(carrier, link);
    const node = this.#nodes.holderOf('link', key);
    if (node === undefined) return undefined;
    return {
      node,
      isBound: this.#nodes.others().some(({ name, boundLinks }) => name === node && boundLinks.includes(key)),
    };
  }

  /** The carriers that have a bound link at another node. */
  boundAtOthers(): ReadonlySet<number> {
    const keys = this.#nodes.others().flatMap(({ boundLinks }) => boundLinks);
    return new Set(keys.map((key) => Math.floor(key / linksFactor)));
  }

  /** Call this when the links of carriers have changed: this node soon takes some, or gives some up. */
  look(): void {
    this.#nodes.look();
  }

  /** Tells the other nodes that parts may wait for these carriers. */
  hint(carriers: Iterable<number>): void {
    this.#nodes.hint('waiting', carriers);
  }

  /** Calls `look` when parts of other nodes may wait for these carriers, or for any. */
  onHint(look: (carriers: ReadonlySet<number> | undefined) => void): void {
    this.#nodes.onHint('waiting', look);
  }
}

function keyOf(carrier: number, link: number): number {
  return carrier * linksFactor + link;
}

/** The keys of the links that a carrier should have. */
function keysOf({ id, links, status }: Carrier): readonly number[] {
  return status === 'drained' ? [] : Array.from({ length: links }, (_each, index) => keyOf(id, index + 1));
}
