import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { config } from '@morsel/api/admin/running/config.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import { parsedJson } from '@morsel/api/fields/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { versionAt } from '../../../core/money/price-list.ts';
import { changedMeanwhile, type KeepConfig } from '../../../state/decide/config/keep-config.ts';
import { stepsMax } from '../../../state/decide/config/together.ts';
import type { Bound } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { readDocument } from './document.ts';
import {
  configurationOf,
  faultOf,
  faulty,
  inStep,
  planOf,
  undoOf,
  type Configuration,
  type Plan,
  type PricesOf,
} from '../../../state/decide/config/plan.ts';
import { sections, type Item, type Section } from '../../../state/decide/config/sections.ts';
import { runTogether, type FindOperation, type Ran } from './together.ts';

/* Plans and applies a document of settings. Settings files and change sets use it. */

export type ChangeNeeds = OperatorNeeds & { readonly find: FindOperation };

export interface SettingsDocument {
  readonly config: string;
  readonly prune: boolean;
}

interface Versioned {
  readonly settings: Configuration;
  /** The number of the newest apply of a settings file; 0 before the first. */
  readonly newest: number;
  readonly version: string;
}

interface Planned extends Versioned {
  readonly plan: Plan;
  readonly shown: AnswerOf<typeof config.operations.plan>;
}

/** Plans a document, and rehearses the plan: a refusal has all faults of the document. */
export async function planDocument(
  needs: ChangeNeeds,
  document: SettingsDocument,
): Promise<Result<Planned, Rejection>> {
  const made = await findSteps(needs, document);
  if (!made.ok || made.value.plan.steps.length === 0) return made;
  const tried = await runTogether(needs, made.value.plan.steps, { first: keeping(needs, made.value), isTrial: true });
  if (!tried.ok) return tried;
  const { refusals } = tried.value;
  const trouble = refusals.find(({ rejection: { code } }) => code === 'unavailable' || code === 'internal_error');
  if (trouble) return refused(trouble.rejection);
  return faulty(refusals.map(faultOf)) ?? made;
}

const changesNothing = 'the settings are as the change set wants them already: remove it';

interface ChangeSetApplied {
  readonly id: number;
  /** Whether the caller may make the steps of the change set. */
  readonly check: (plan: Plan) => Result<never, Rejection> | undefined;
}

/** Applies a document in one commit, unless the settings have another version. `of`: the change set that it is. */
export async function applyDocument(
  needs: ChangeNeeds,
  { version, ...document }: SettingsDocument & { readonly version: string },
  of?: ChangeSetApplied,
): Promise<Result<AnswerOf<typeof config.operations.apply>, Rejection>> {
  const made = await findSteps(needs, document);
  if (!made.ok) return made;
  const { plan, shown } = made.value;
  const forbidden = of?.check(plan);
  if (forbidden) return forbidden;
  if (made.value.version !== version) return refused({ code: 'conflict', detail: changedMeanwhile });
  if (plan.steps.length === 0 && of) return refused({ code: 'conflict', detail: changesNothing });
  if (plan.steps.length === 0) return ok({ ...shown, secrets: [] });
  const changeSet = of && { id: of.id, undo: undoOf(plan) };
  const done = await runTogether(needs, plan.steps, { first: keeping(needs, made.value, changeSet), isTrial: false });
  if (!done.ok) return done;
  const [refusal] = done.value.refusals;
  if (refusal) return refused(inStep(refusal));
  const after = await readSettingsNow(needs);
  return after.ok ? ok({ ...shown, version: after.value.version, secrets: secretsIn(done.value.answers) }) : after;
}

/** Reads the present settings, with their version. */
export async function readSettingsNow(needs: ChangeNeeds): Promise<Result<Versioned, Rejection>> {
  const state = await needs.reader.ask('configState', undefined);
  if (!state.ok) return state;
  const rowsOf = new Map<Section, readonly Item[]>();
  for (const section of sections) {
    const rows = await allRows(needs, needs.find(`${section.noun}.list`));
    if (!rows.ok) return rows;
    rowsOf.set(section, section.name === 'carriers' ? rows.value.map((row) => withSecrets(needs, row)) : rows.value);
  }
  const settings = configurationOf(rowsOf);
  const newest = state.value?.number ?? 0;
  return ok({ settings, newest, version: `${newest}-${settings.digest}` });
}

async function allRows(needs: OperatorNeeds, list: Bound): Promise<Result<readonly Item[], Rejection>> {
  const rows: Item[] = [];
  for (let after: string | undefined; ;) {
    const read = readValues(list.operation.input, { after });
    if (!read.ok) throw new Error('the next page of a list is refused');
    const page = await list.handle(needs, read.value);
    if (!page.ok) return page;
    // The type of the handlers guarantees a page.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const { items, next } = page.value as { readonly items: readonly Item[]; readonly next: string | null };
    rows.push(...items);
    if (next === null) return ok(rows);
    after = next;
  }
}

/** Adds a carrier's secrets to its row. The snapshot has them, so they can be compared with those of the file. */
function withSecrets({ snapshot }: OperatorNeeds, row: Item): Item {
  const found = [...snapshot().carriers.values()].find(({ name }) => name === row['name']);
  if (!found) return row;
  const { settings } = found;
  return { ...row, ...Object.fromEntries(kindOf(settings).secrets.map((name) => [name, settings[name]])) };
}

async function findSteps(
  needs: ChangeNeeds,
  { config: text, prune }: SettingsDocument,
): Promise<Result<Planned, Rejection>> {
  const wanted = readDocument(parsedJson(text));
  if (!wanted.ok) return wanted;
  const now = await readSettingsNow(needs);
  if (!now.ok) return now;
  const asked = new Map<string, number>();
  const pricesOf: PricesOf = (list) => {
    const found = presentPrices(needs, list);
    asked.set(list, found?.version ?? 0);
    return found;
  };
  const made = planOf(now.value.settings, { wanted: wanted.value, prune, pricesOf });
  if (!made.ok) return made;
  const plan = made.value;
  if (plan.steps.length > stepsMax) {
    const detail = `the file makes ${plan.steps.length} changes, but at most ${stepsMax} are applied at once: apply a part of it first`;
    return refused({ code: 'conflict', detail });
  }
  const version = [now.value.version, ...asked.values()].join('-');
  const steps = plan.steps.map(({ action, what, changes }) => ({ action, what, changes }));
  return ok({ ...now.value, version, plan, shown: { version, steps, kept: plan.kept } });
}

function presentPrices({ snapshot, clock }: OperatorNeeds, name: string): ReturnType<PricesOf> {
  const list = [...snapshot().priceLists.values()].find((each) => each.name === name);
  const present = list && versionAt(list, clock.now());
  return present && { version: present.version, priceOf: (prefix) => present.prices.get(prefix) ?? null };
}

/** The command that stores the present settings before an apply of a document. */
function keeping(
  { clock, caller }: OperatorNeeds,
  { newest: after, settings }: Versioned,
  changeSet?: KeepConfig['changeSet'],
) {
  const { document: config } = settings;
  return { kind: 'keep-config', at: clock.now(), actor: caller.name, after, config, changeSet } as const;
}

/** The secrets that the gateway generated for new webhooks. */
function secretsIn(answers: Ran['answers']) {
  return answers.flatMap(({ step: { what, input }, answer }) => {
    const { secret }: { readonly secret?: unknown } = { ...Object(answer) };
    return typeof secret === 'string' && input['secret'] === undefined ? [{ what, secret }] : [];
  });
}
