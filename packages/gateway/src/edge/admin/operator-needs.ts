import type { Caller } from '../../core/account/caller.ts';
import type { MessageId } from '../../core/base/message-id.ts';
import type { QuoteNeeds } from '../../flow/message/quote.ts';
import type { SubmitNeeds } from '../../flow/message/submit.ts';
import type { Tools } from '../../flow/ports.ts';
import type { LinkStatus } from '../../flow/routing/carrier-link.ts';
import type { Carriers } from '../../flow/routing/carriers.ts';
import type { Counts } from '../../flow/account/counts.ts';
import type { Notifier } from '../../flow/notification/notify.ts';
import type { PriceImports } from '../../flow/price-imports.ts';
import type { Snapshot } from '../../core/snapshot.ts';
import type { ClockGuard } from '../../flow/clock-guard.ts';
import type { Listening } from '../../flow/notification/listen.ts';
import type { Nodes } from '../../flow/nodes/nodes.ts';
import type { Jobs } from '../../flow/jobs.ts';
import type { Erasing } from '../../flow/privacy/erasing.ts';
import type { Replays } from '../../flow/replay/replays.ts';
import type { Readiness } from '../../flow/readiness.ts';
import type { Journal } from '../../store/journal.ts';
import type { Sessions } from '../clients/smpp/sessions.ts';
import type { Passwords } from '../../flow/account/passwords.ts';
import type { Meters } from '../../flow/metrics/meters.ts';
import type { PresentFigures } from '../../flow/metrics/present.ts';
import type { OperatorRepeats } from './access/repeats.ts';
import type { SignInGuard } from '../../flow/account/sign-in-guard.ts';
import type { SignInLinks } from './console/links.ts';
import type { Disclosures } from './access/disclosures.ts';
import type { SmppListeners } from '../clients/smpp/server.ts';
import type { Webhooks } from '../webhook/webhooks.ts';

/* The components of the gateway that the operator's API uses. */

export interface OperatorNeeds extends Pick<Tools, 'clock' | 'random' | 'reader' | 'prices'> {
  readonly dataDir: string;
  readonly replays: Pick<Replays, 'run'>;
  readonly signInLinks: SignInLinks;
  readonly repeats: OperatorRepeats;
  readonly meters: Pick<Meters, 'accounts' | 'carriers'>;
  readonly present: Pick<PresentFigures, 'read' | 'p99Ms'>;
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly signInGuard: Pick<SignInGuard, 'inTurn' | 'check' | 'end'>;
  readonly caller: Caller;
  readonly disclosures: Disclosures;
  readonly nodes: Pick<Nodes, 'name' | 'list' | 'others' | 'drain' | 'clientsStayMs' | 'calls' | 'late'>;
  readonly listening: Pick<Listening, 'listen'>;
  readonly counts: Pick<Counts, 'write'>;
  readonly imports: Pick<PriceImports, 'import' | 'makeId' | 'sweep' | 'end'>;
  readonly snapshot: () => Snapshot;
  readonly clockGuard: Pick<ClockGuard, 'confirm' | 'isBehind'>;
  /** Resolves when admission and carriers use the settings that the store has now. */
  readonly reloadSnapshot: () => Promise<void>;
  readonly control: Pick<Carriers, 'rebind' | 'test' | 'settled' | 'lookForWaiting' | 'choose' | 'seen' | 'up'>;
  /** The states of the running links, by the id of their carrier. */
  readonly links: () => ReadonlyMap<number, readonly LinkStatus[]>;
  readonly nextId: () => MessageId;
  readonly messages: SubmitNeeds & QuoteNeeds;
  readonly journal: Pick<Journal, 'append' | 'clean' | 'durability' | 'statistics'>;
  readonly jobs: Pick<Jobs, 'wake'>;
  readonly erasing: Pick<Erasing, 'wake' | 'lookAgain'>;
  readonly readiness: Pick<Readiness, 'troubles' | 'ready' | 'isHeld' | 'resume'>;
  readonly sessions: Pick<Sessions, 'list' | 'close' | 'receivers' | 'size'>;
  /** The SMPP ports at which clients bind; null if the port is off. */
  readonly smppListeners: Pick<SmppListeners, 'port' | 'tlsPort' | 'unbound'>;
  readonly notifier: Pick<Notifier, 'wake'>;
  readonly webhooks: Pick<Webhooks, 'tryOut' | 'last'>;
}
