import { mayCall, type Role } from '@morsel/api/admin/access/role.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import type { changeSet } from '@morsel/api/admin/running/change-set.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import { invalid, type Rejection } from '../../../core/base/rejection.ts';
import { parseSenderMatch } from '../../../core/number/address.ts';
import { amountOfSum, type Difference, type MoneySum } from '../../../core/routing/replay.ts';
import type { DraftStep } from '../../../flow/replay/draft.ts';
import type { Replayed } from '../../../flow/replay/replay.ts';
import { changeSetShown, noChangeSet } from '../../../state/decide/config/change-set.ts';
import { conflict } from '../../../state/decide/decided.ts';
import type { Plan, Step } from '../../../state/decide/config/plan.ts';
import type { ChangeSetRow } from '../../../state/tables/access.ts';
import type { Handlers } from '../bind.ts';
import { decideOperation } from '../direct.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { applyDocument, planDocument, type ChangeNeeds, type SettingsDocument } from './change.ts';
import type { FindOperation } from './together.ts';

/*
 * The handlers of change sets. A change set is a document as a settings file has it, and its plan and apply are those of
 * settings files. An operator needs the roles of its steps.
 */
export const changeSetHandlers = (find: FindOperation): Handlers<'changeSet'> => ({
  add: async (needs, input) => addDraft({ ...needs, find }, input),
  show: async (needs, { changeSet: name }) => {
    const row = await rowNamed(needs, name);
    if (!row.ok) return row;
    const shown = { ...changeSetShown(row.value), config: row.value.config };
    if (row.value.state === 'applied') return ok({ ...shown, version: '', steps: [], kept: [] });
    const made = await planDocument({ ...needs, find }, row.value);
    return made.ok ? ok({ ...shown, ...made.value.shown }) : made;
  },
  replay: async (needs, { changeSet: name }) => {
    const row = await draftNamed(needs, name);
    if (!row.ok) return row;
    const made = await planDocument({ ...needs, find }, row.value);
    if (!made.ok) return made;
    const done = await needs.replays.run(requestOf(needs, made.value.plan.steps));
    return done.ok ? ok(replayShown(done.value)) : done;
  },
  apply: async (needs, { changeSet: name, version }) => {
    const row = await draftNamed(needs, name);
    if (!row.ok) return row;
    const inner = { ...needs, find };
    const { id, config, prune } = row.value;
    const check = ({ steps }: Plan) => notByCaller(needs, rolesOf(inner, steps));
    const done = await applyDocument(inner, { config, prune, version }, { id, check });
    if (!done.ok) return done;
    const after = await rowNamed(needs, name);
    return after.ok ? ok({ ...changeSetShown(after.value), ...done.value }) : after;
  },
  undo: async (needs, { changeSet: name }) => {
    const row = await rowNamed(needs, name);
    if (!row.ok) return row;
    const { undo: config } = row.value;
    if (config === null) return conflict(`change set ${name} is not applied: remove it with change-set remove`);
    const inner = { ...needs, find };
    const again = await planDocument(inner, row.value);
    if (!again.ok || again.value.plan.steps.length > 0) return conflict(changedSince(name));
    return addDraft(inner, { changeSet: `undo-${name}`.slice(0, nameMax), config, prune: false });
  },
  remove: async (needs, input) => {
    const row = await rowNamed(needs, input.changeSet);
    if (!row.ok) return row;
    const forbidden = notByCaller(needs, row.value.roles);
    if (forbidden) return forbidden;
    const done = await decideOperation(needs, 'changeSet.remove', { input, made: undefined });
    return done.ok ? ok(input) : done;
  },
});

/** The longest name. */
const nameMax = 64;

function changedSince(name: string): string {
  return `settings of change set ${name} have changed since it was applied: make a new change set`;
}

async function addDraft(
  needs: ChangeNeeds,
  input: SettingsDocument & { readonly changeSet: string },
): Promise<Result<AnswerOf<typeof changeSet.operations.add>, Rejection>> {
  const made = await planDocument(needs, input);
  if (!made.ok) return made;
  const { plan, shown } = made.value;
  if (plan.steps.length === 0) return invalid('config', 'must change at least one setting');
  const secret = plan.steps.find(({ operation, input: given }) => hasSecret(needs.find(operation).operation, given));
  if (secret) return invalid('config', `must have no secret, because it is stored: set that of ${secret.what} apart`);
  const roles = rolesOf(needs, plan.steps);
  const forbidden = notByCaller(needs, roles);
  if (forbidden) return forbidden;
  const done = await decideOperation(needs, 'changeSet.add', { input, made: { roles, shown } });
  if (!done.ok) return done;
  return done.value === null ? refused({ code: 'internal_error' }) : ok(done.value);
}

function hasSecret({ input }: ReturnType<FindOperation>['operation'], given: Step['input']): boolean {
  return Object.entries(input).some(([name, { about }]) => about.isSecret === true && typeof given[name] === 'string');
}

/** The least roles of the operations of the steps. */
function rolesOf({ find }: ChangeNeeds, steps: readonly Step[]): readonly Role[] {
  return [...new Set(steps.map(({ operation }) => find(operation).operation.role))];
}

function notByCaller({ caller }: OperatorNeeds, roles: readonly Role[]) {
  const lacks = roles.find((least) => !mayCall(caller.role, least));
  if (lacks === undefined) return undefined;
  const detail = `the change set has a step for the role ${lacks}, and operator ${caller.name} has the role ${caller.role}`;
  return refused({ code: 'forbidden', detail } as const);
}

async function rowNamed({ reader }: OperatorNeeds, name: string): Promise<Result<ChangeSetRow, Rejection>> {
  const found = await reader.ask('changeSet', name);
  if (!found.ok) return found;
  return found.value ? ok(found.value) : noChangeSet(name);
}

/** A change set that is not applied yet. */
async function draftNamed(needs: OperatorNeeds, name: string): Promise<Result<ChangeSetRow, Rejection>> {
  const row = await rowNamed(needs, name);
  return row.ok && row.value.state === 'applied' ? conflict(`change set ${name} is applied already`) : row;
}

const replayedResources = /^(?:carrier|account|route|price)\./;

function requestOf({ clock, control }: OperatorNeeds, steps: readonly Step[]) {
  // The thread gets no secrets, and nothing that routing does not look at.
  const relevant = steps
    .filter(({ operation }) => replayedResources.test(operation))
    .map(({ operation, input }): DraftStep => ({ operation, input: plainIn(input) }));
  return { steps: relevant, at: clock.now(), bound: control.up };
}

/** The members that another thread can get, without secrets. A sender gets the form in which it is stored. */
function plainIn({ settings: _settings, password: _password, ...rest }: Step['input']): Step['input'] {
  const sender = typeof rest['sender'] === 'string' ? parseSenderMatch(rest['sender']) : undefined;
  return structuredClone(sender?.ok ? { ...rest, sender: sender.value } : rest);
}

function replayShown(replayed: Replayed): AnswerOf<typeof changeSet.operations.replay> {
  const { from, to, accepted, messages, parts, changedMessages: changed, places, money, examples } = replayed;
  return {
    from,
    to,
    accepted,
    messages,
    parts,
    changed,
    carriers: places,
    money: money.map(moneyShown),
    examples: examples.map(exampleShown),
  };
}

function moneyShown({ currency, before, after }: MoneySum) {
  return {
    currency,
    price: amountOfSum(before.price),
    priceAfter: amountOfSum(after.price),
    cost: before.knownParts > 0 ? amountOfSum(before.cost) : null,
    costAfter: after.knownParts > 0 ? amountOfSum(after.cost) : null,
    margin: before.knownParts > 0 ? amountOfSum(before.margin) : null,
    marginAfter: after.knownParts > 0 ? amountOfSum(after.margin) : null,
    unknownParts: before.unknownParts,
    unknownPartsAfter: after.unknownParts,
  };
}

function exampleShown({ message, account, before, after }: Difference) {
  return {
    msgId: String(message.id),
    account,
    receiver: message.receiver,
    numParts: message.numParts,
    ...before,
    kindAfter: after.kind,
    carrierAfter: after.carrier,
    routeAfter: after.route,
    priceAfter: after.price,
    costAfter: after.cost,
  };
}
