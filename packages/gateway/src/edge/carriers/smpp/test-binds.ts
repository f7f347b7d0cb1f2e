import { connect, ConnectError, statusName, type CloseReason, type Session, type SessionHandlers } from '@morsel/smpp';
import type { CarrierOf } from '../../../core/routing/carrier.ts';
import type { SmppSettings } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { secondMs } from '@morsel/api/values/time.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { TestStep } from '../../../flow/routing/carrier-link.ts';
import { bindsOf, connectOptions, sessionLimits, type LinkBind } from './bind.ts';
import { endWords, wordsOf } from './link-words.ts';

/* Makes the binds of `carrier test`. The running links are not changed. */

interface TestNeeds extends Required<Pick<SessionHandlers, 'onRequest' | 'onUnreadable'>> {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** How many links of the carrier are bound besides. */
  readonly bound: () => number;
  readonly signal: AbortSignal;
}

interface OpenNeeds extends TestNeeds {
  readonly limits: ReturnType<typeof sessionLimits>;
}

interface Bound {
  readonly bind: LinkBind;
  readonly session: Session;
  readonly boundAt: number;
  /** Returns undefined while the session is open. */
  readonly ended: () => CloseReason | undefined;
}

/** Connects, binds, sends enquire_link, and unbinds. If a step fails, the unbind is the next step. */
export async function testBinds(carrier: CarrierOf<'smpp'>, needs: TestNeeds): Promise<readonly TestStep[]> {
  const steps: TestStep[] = [];
  const opened: Bound[] = [];
  for (const bind of bindsOf(carrier.settings)) {
    const bound = bind && (await open(bind, { ...needs, limits: sessionLimits(carrier) }, steps));
    if (!bound) break;
    opened.push(bound);
    const isAlive = await enquire(bound, needs, steps);
    if (!isAlive) break;
  }
  // Unbinds the transmitter before the receiver, as links do.
  for (const bound of opened.toReversed()) await unbind(bound, needs, steps);
  const bound = needs.bound();
  return bound === 0 ? steps : steps.map((step) => (isRefusedBind(step) ? crowded(step, bound) : step));
}

function isRefusedBind({ isDone, step }: TestStep): boolean {
  return !isDone && step.startsWith('bind');
}

/** The bind may have failed because the carrier limits the number of binds. */
function crowded(step: TestStep, bound: number): TestStep {
  const links = bound === 1 ? '1 of its links is' : `${bound} of its links are`;
  const says = `${step.says}; ${links} bound, so the carrier may allow no more binds: to test without them, run carrier drain first`;
  return { ...step, says };
}

async function open(bind: LinkBind, needs: OpenNeeds, steps: TestStep[]): Promise<Bound | undefined> {
  const { settings, command } = bind;
  const watch = new Watch(needs, steps, addressOf(settings));
  const isEncrypted = settings.profile.tls !== 'off';
  let step: TestStep['step'] = 'connect';
  let ended: CloseReason | undefined;
  try {
    const session = await connect({
      ...connectOptions(bind, {
        ...needs.limits,
        onRequest: needs.onRequest,
        onUnreadable: needs.onUnreadable,
        onClose: (reason) => {
          ended = reason;
        },
        signal: needs.signal,
      }),
      onConnected: () => {
        watch.add(step, true, isEncrypted ? 'connected, with TLS' : 'connected');
        step = command;
      },
    });
    watch.add(command, true, `bound as ${settings.systemId}, version ${settings.profile.version}`);
    return { bind, session, boundAt: needs.clock.monotonicMs(), ended: () => ended };
  } catch (fault) {
    if (!(fault instanceof ConnectError)) throw fault;
    watch.add(step, false, wordsOf(fault, isEncrypted));
    return undefined;
  }
}

async function enquire(
  { bind, session, boundAt, ended }: Bound,
  needs: TestNeeds,
  steps: TestStep[],
): Promise<boolean> {
  const watch = new Watch(needs, steps, addressOf(bind.settings));
  const answer = await session.request({ command: 'enquire_link' });
  switch (answer.kind) {
    case 'answered': {
      const { command_status: status } = answer.pdu;
      watch.add('enquire_link', status === 0, status === 0 ? 'answered' : `refused: ${statusName(status)}`);
      return status === 0;
    }
    case 'timeout': {
      const seconds = bind.settings.profile.answerTimeoutMs / secondMs;
      const says = `no answer within ${seconds} s: the gateway would close a link for this reason; ask the carrier whether it answers enquire_link`;
      watch.add('enquire_link', false, says);
      return false;
    }
    case 'closed':
      watch.add('enquire_link', false, endWords(ended() ?? 'disconnected', needs.clock.monotonicMs() - boundAt));
      return false;
  }
}

async function unbind({ bind, session, ended }: Bound, needs: TestNeeds, steps: TestStep[]): Promise<void> {
  if (ended() !== undefined) return;
  const watch = new Watch(needs, steps, addressOf(bind.settings));
  const reason = await session.unbind();
  watch.add(
    'unbind',
    reason === 'unbound',
    reason === 'unbound' ? 'unbound' : endWords(reason, Number.POSITIVE_INFINITY),
  );
}

function addressOf({ host, port }: SmppSettings): string {
  return hostAndPort(host, port);
}

class Watch {
  readonly #needs: TestNeeds;
  readonly #steps: TestStep[];
  readonly #address: string;
  #from: number;

  constructor(needs: TestNeeds, steps: TestStep[], address: string) {
    this.#needs = needs;
    this.#steps = steps;
    this.#address = address;
    this.#from = needs.clock.monotonicMs();
  }

  add(step: TestStep['step'], isDone: boolean, says: string): void {
    const now = this.#needs.clock.monotonicMs();
    const ms = Math.round((now - this.#from) * 10) / 10;
    this.#from = now;
    this.#steps.push({ step, address: this.#address, ms, isDone, says });
  }
}
