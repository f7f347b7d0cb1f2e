import { kindOf } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { config } from '@morsel/api/admin/running/config.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { readValues } from '@morsel/api/fields/field.ts';
import { parsedJson } from '@morsel/api/fields/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { changedMeanwhile } from '../../../state/decide/config/keep-config.ts';
import { stepsMax } from '../../../state/decide/config/together.ts';
import type { Bound, Handlers } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { readDocument } from './document.ts';
import {
  configurationOf,
  faultOf,
  faulty,
  inStep,
  planOf,
  type Configuration,
  type Plan,
} from '../../../state/decide/config/plan.ts';
import { sections, type Item, type Section } from '../../../state/decide/config/sections.ts';
import { runTogether, type FindOperation, type Ran } from './together.ts';

/** The handlers of the settings file. `find` finds the operations that an apply of a file runs. */
export const configHandlers = (find: FindOperation): Handlers<'config'> => ({
  show: async (needs) => {
    const found = await versioned(needs, find);
    return found.ok ? ok({ version: found.value.version, config: found.value.settings.document }) : found;
  },
  plan: async (needs, input) => {
    const made = await planned(needs, find, input);
    if (!made.ok) return made;
    const { version, plan } = made.value;
    if (plan.steps.length === 0) return ok({ version, ...shownOf(plan) });
    const tried = await runTogether({ ...needs, find }, plan.steps, {
      first: keeping(needs, made.value),
      isTrial: true,
    });
    if (!tried.ok) return tried;
    const { refusals } = tried.value;
    const trouble = refusals.find(({ rejection: { code } }) => code === 'unavailable' || code === 'internal_error');
    if (trouble) return refused(trouble.rejection);
    return faulty(refusals.map(faultOf)) ?? ok({ version, ...shownOf(plan) });
  },
  apply: async (needs, input) => {
    const made = await planned(needs, find, input);
    if (!made.ok) return made;
    const { version, plan } = made.value;
    if (version !== input.version) return refused({ code: 'conflict', detail: changedMeanwhile });
    if (plan.steps.length === 0) return ok({ version, ...shownOf(plan), secrets: [] });
    const done = await runTogether({ ...needs, find }, plan.steps, {
      first: keeping(needs, made.value),
      isTrial: false,
    });
    if (!done.ok) return done;
    const [refusal] = done.value.refusals;
    if (refusal) return refused(inStep(refusal));
    const after = await versioned(needs, find);
    return after.ok
      ? ok({ version: after.value.version, ...shownOf(plan), secrets: secretsIn(done.value.answers) })
      : after;
  },
  previous: async ({ reader }) => {
    const found = await reader.ask('configState', undefined);
    if (!found.ok) return found;
    if (!found.value) return refused({ code: 'does_not_exist', detail: 'no file of settings was applied yet' });
    const { number, at: appliedAt, actor: appliedBy, config: document } = found.value;
    return ok({ number, appliedAt, appliedBy, config: document });
  },
});

interface Versioned {
  readonly settings: Configuration;
  /** The number of the newest apply of a settings file; 0 before the first. */
  readonly newest: number;
  readonly version: string;
}

async function versioned(needs: OperatorNeeds, find: FindOperation): Promise<Result<Versioned, Rejection>> {
  const state = await needs.reader.ask('configState', undefined);
  if (!state.ok) return state;
  const rowsOf = new Map<Section, readonly Item[]>();
  for (const section of sections) {
    const rows = await allRows(needs, find(`${section.noun}.list`));
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

type Given = InputOf<typeof config.operations.plan>;

async function planned(
  needs: OperatorNeeds,
  find: FindOperation,
  { config: text, prune }: Given,
): Promise<Result<Versioned & { readonly plan: Plan }, Rejection>> {
  const wanted = readDocument(parsedJson(text));
  if (!wanted.ok) return wanted;
  const now = await versioned(needs, find);
  if (!now.ok) return now;
  const made = planOf(now.value.settings, { wanted: wanted.value, prune });
  if (!made.ok) return made;
  const plan = made.value;
  if (plan.steps.length > stepsMax) {
    const detail = `the file makes ${plan.steps.length} changes, but at most ${stepsMax} are applied at once: apply a part of it first`;
    return refused({ code: 'conflict', detail });
  }
  return ok({ ...now.value, plan });
}

/** The command that stores the present settings before an apply of a settings file. */
function keeping({ clock, caller }: OperatorNeeds, { newest: after, settings }: Versioned) {
  const { document: config } = settings;
  return { kind: 'keep-config', at: clock.now(), actor: caller.name, after, config } as const;
}

function shownOf({ steps, kept }: Plan) {
  return { steps: steps.map(({ action, what, changes }) => ({ action, what, changes })), kept };
}

/** The secrets that the gateway generated for new webhooks. */
function secretsIn(answers: Ran['answers']) {
  return answers.flatMap(({ step: { what, input }, answer }) => {
    const { secret }: { readonly secret?: unknown } = { ...Object(answer) };
    return typeof secret === 'string' && input['secret'] === undefined ? [{ what, secret }] : [];
  });
}
