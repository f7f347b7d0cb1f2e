import type { alarm } from '@morsel/api/admin/alarm/alarm.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { alarmKindNames, alarmKindOf, type AlarmKind } from '@morsel/api/admin/alarm/kinds.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { AlarmSetting } from '../../../../core/alarm/findings.ts';
import type { Rejection } from '../../../../core/base/rejection.ts';
import { invalid } from '../../../../state/decide/decided.ts';
import type { AlarmRow } from '../../../../state/tables/alarm/alarm.ts';
import type { Handlers } from '../../bind.ts';
import type { OperatorNeeds } from '../../operator-needs.ts';

/* The handlers of alarms, and of the settings of their kinds. */

type Shown = AnswerOf<typeof alarm.operations.show>;
type ShownKind = AnswerOf<typeof alarm.operations.set>;

export const alarmHandlers: Handlers<'alarm'> = {
  list: async ({ reader }, { all, after, limit }) => {
    const found = await reader.ask('alarms', { all, after, limit });
    return found.ok ? ok({ items: found.value.items.map(shown), next: found.value.next }) : found;
  },
  show: alarmShown,
  kinds: async ({ reader, clock }) => {
    const state = await reader.ask('alarmState', clock.now());
    if (!state.ok) return state;
    return ok({ items: alarmKindNames.map((kind) => shownKind(kind, state.value.settings)), next: null });
  },
  ack: async (needs, { alarm: id }) => {
    const { journal, clock, caller } = needs;
    const ack = { at: clock.now(), id, by: caller.name };
    const done = await journal.append<'acknowledge-alarm'>({ kind: 'acknowledge-alarm', ...ack });
    return done.ok ? alarmShown(needs, { alarm: id }) : done;
  },
  quiet: async ({ journal }, { kind, subject, until }) => {
    const quiet = { kind: 'quiet-alarm', alarm: kind, about: subject, until } as const;
    const done = await journal.append<'quiet-alarm'>(quiet);
    return done.ok ? ok({ kind, subject, until }) : done;
  },
  set: async ({ journal, reader, clock }, { kind, threshold, forSeconds, watched }) => {
    const isOn = watched && watched === 'yes';
    const allowed = alarmKindOf(kind).threshold;
    if (threshold !== undefined && !allowed) return invalid('threshold', `${kind} has no threshold`);
    if (threshold !== undefined && allowed && (threshold < allowed.min || threshold > allowed.max))
      return invalid('threshold', `must be from ${allowed.min} to ${allowed.max} ${allowed.unit}`);
    const done = await journal.append<'set-alarm'>({ kind: 'set-alarm', alarm: kind, threshold, forSeconds, isOn });
    if (!done.ok) return done;
    const state = await reader.ask('alarmState', clock.now());
    return state.ok ? ok(shownKind(kind, state.value.settings)) : state;
  },
};

async function alarmShown(
  { reader }: Pick<OperatorNeeds, 'reader'>,
  { alarm: id }: { readonly alarm: number },
): Promise<Result<Shown, Rejection>> {
  const found = await reader.ask('alarm', id);
  if (!found.ok) return found;
  if (!found.value) return refused({ code: 'does_not_exist', detail: `there is no alarm ${id}` });
  const { alarm: row, notices } = found.value;
  return ok({ ...shown(row), notices: notices.map(({ alarm: _its, ...notice }) => notice) });
}

function shown({ id, ...row }: AlarmRow): Omit<Shown, 'notices'> {
  return { ...row, alarm: id, state: stateOf(row) };
}

function stateOf({ closedAt, acknowledgedAt }: Pick<AlarmRow, 'closedAt' | 'acknowledgedAt'>): Shown['state'] {
  if (closedAt !== null) return 'closed';
  return acknowledgedAt === null ? 'open' : 'acknowledged';
}

function shownKind(kind: AlarmKind, settings: readonly AlarmSetting[]): ShownKind {
  const set = settings.find((each) => each.kind === kind);
  const declared = alarmKindOf(kind);
  return {
    kind,
    severity: declared.severity,
    watched: (set?.isOn ?? true) ? 'yes' : 'no',
    threshold: set?.threshold ?? declared.threshold?.value ?? null,
    unit: declared.threshold?.unit ?? null,
    forSeconds: set?.forSeconds ?? declared.forSeconds,
    summary: declared.summary,
  };
}
