import type { Notifier } from '../../flow/notification/notify.ts';
import { SessionOutlet } from './session-destination.ts';
import type { CustomerSession, SessionWatcher } from './sessions.ts';

interface LanesNeeds {
  readonly notifier: Pick<Notifier, 'open' | 'close' | 'hasRoom'>;
  readonly monotonicMs: () => number;
}

/** Has notices of an account go to its sessions from the bind of the first that can receive to the end of the last. */
export class SessionLanes implements SessionWatcher {
  readonly #needs: LanesNeeds;
  readonly #outlets = new Map<number, SessionOutlet>();

  constructor(needs: LanesNeeds) {
    this.#needs = needs;
  }

  bound(session: CustomerSession): void {
    const account = session.account().id;
    const lane = { kind: 'sessions', account } as const;
    const open = this.#outlets.get(account);
    if (open) {
      open.add(session);
      this.#needs.notifier.hasRoom(lane);
      return;
    }
    const { monotonicMs, notifier } = this.#needs;
    const outlet = new SessionOutlet({ monotonicMs, hasRoom: () => notifier.hasRoom(lane) });
    outlet.add(session);
    this.#outlets.set(account, outlet);
    notifier.open(lane, outlet);
  }

  room(session: CustomerSession): void {
    this.#needs.notifier.hasRoom({ kind: 'sessions', account: session.account().id });
  }

  closed(session: CustomerSession): void {
    const account = session.account().id;
    const outlet = this.#outlets.get(account);
    outlet?.remove(session);
    if (outlet?.size !== 0) return;
    this.#outlets.delete(account);
    this.#needs.notifier.close({ kind: 'sessions', account });
  }
}
