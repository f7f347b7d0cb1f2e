import type { Notifier } from '../../flow/notification/notify.ts';
import type { Clock } from '../../runtime/clock.ts';
import { SessionDestination } from './session-destination.ts';
import type { ClientSession, SessionWatcher } from './sessions.ts';

interface SessionDestinationsNeeds {
  readonly notifier: Pick<Notifier, 'open' | 'close' | 'hasRoom'>;
  readonly clock: Clock;
}

/**
 * Opens the destination of an account when its first session binds as receiver or transceiver, and closes it with the last of
 * these sessions.
 */
export class SessionDestinations implements SessionWatcher {
  readonly #needs: SessionDestinationsNeeds;
  readonly #destinations = new Map<number, SessionDestination>();

  constructor(needs: SessionDestinationsNeeds) {
    this.#needs = needs;
  }

  bound(session: ClientSession): void {
    const account = session.account().id;
    const key = { kind: 'sessions', account } as const;
    const open = this.#destinations.get(account);
    if (open) {
      open.add(session);
      this.#needs.notifier.hasRoom(key);
      return;
    }
    const { clock, notifier } = this.#needs;
    const destination = new SessionDestination({ clock, hasRoom: () => notifier.hasRoom(key) });
    destination.add(session);
    this.#destinations.set(account, destination);
    notifier.open(key, destination);
  }

  room(session: ClientSession): void {
    this.#needs.notifier.hasRoom({ kind: 'sessions', account: session.account().id });
  }

  closed(session: ClientSession): void {
    const account = session.account().id;
    const destination = this.#destinations.get(account);
    destination?.remove(session);
    if (destination?.size !== 0) return;
    this.#destinations.delete(account);
    this.#needs.notifier.close({ kind: 'sessions', account });
  }
}
