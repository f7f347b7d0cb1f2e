/* The destinations of notifications to the bound sessions of accounts. */

import type { Nodes } from '../../../flow/nodes/nodes.ts';
import type { Notifier } from '../../../flow/notification/notify.ts';
import { SessionDestination } from './session-destination.ts';
import type { ClientSession, SessionWatcher } from './sessions.ts';
import type { Tools } from '../../../flow/ports.ts';

/**
 * Opens an account's destination with its first receiver or transceiver, and closes the destination with the last one.
 * Only one node at a time delivers to the sessions of an account.
 */
export class SessionDestinations implements SessionWatcher {
  readonly #needs;
  readonly #destinations = new Map<number, SessionDestination>();
  readonly #open = new Set<number>();

  constructor(
    needs: Pick<Tools, 'clock'> & {
      readonly notifier: Pick<Notifier, 'open' | 'close' | 'hasRoom'>;
      /** Decides which node delivers to the sessions of an account: the first node with a receiver. */
      readonly nodes: Pick<Nodes, 'holds' | 'wish' | 'look'>;
    },
  ) {
    this.#needs = needs;
    const keys = () => this.#destinations.keys();
    needs.nodes.wish({ kind: 'sessions', keys, isShared: false, changed: () => this.#arrange() });
  }

  bound(session: ClientSession): void {
    const { id: account } = session.account();
    const known = this.#destinations.get(account);
    const destination = known ?? this.#newDestination(account);
    destination.add(session);
    if (known) this.#needs.notifier.hasRoom(keyOf(account));
    else {
      this.#openIfOurs(account, destination);
      this.#needs.nodes.look();
    }
  }

  room(session: ClientSession): void {
    this.#needs.notifier.hasRoom(keyOf(session.account().id));
  }

  closed(session: ClientSession): void {
    const account = session.account().id;
    const destination = this.#destinations.get(account);
    destination?.remove(session);
    if (destination?.size !== 0) return;
    this.#destinations.delete(account);
    void this.#arrange();
    this.#needs.nodes.look();
  }

  #newDestination(account: number): SessionDestination {
    const { clock, notifier } = this.#needs;
    const destination = new SessionDestination({ clock, hasRoom: () => notifier.hasRoom(keyOf(account)) });
    this.#destinations.set(account, destination);
    return destination;
  }

  /** Resolves when closed destinations have completed their deliveries. */
  async #arrange(): Promise<void> {
    const { nodes, notifier } = this.#needs;
    const isOurs = (account: number) => this.#destinations.has(account) && nodes.holds('sessions', account);
    const closing = [...this.#open].filter((account) => !isOurs(account));
    for (const account of closing) this.#open.delete(account);
    const closed = closing.map((account) => notifier.close(keyOf(account)));
    for (const [account, destination] of this.#destinations) this.#openIfOurs(account, destination);
    await Promise.all(closed);
  }

  #openIfOurs(account: number, destination: SessionDestination): void {
    const { nodes, notifier } = this.#needs;
    if (this.#open.has(account) || !nodes.holds('sessions', account)) return;
    this.#open.add(account);
    notifier.open(keyOf(account), destination);
  }
}

function keyOf(account: number) {
  return { kind: 'sessions', account } as const;
}
