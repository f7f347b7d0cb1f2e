import type { config } from '@morsel/api/admin/running/config.ts';
import type { InputOf } from '@morsel/api/admin/resource.ts';
import { readJson } from '@morsel/api/admin/exact-json.ts';
import { ok, refused, type Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../../core/base/rejection.ts';
import { changedMeanwhile } from '../../../state/decide/config/keep-config.ts';
import { stepsMax } from '../../../state/decide/config/together.ts';
import type { Handlers } from '../bind.ts';
import type { OperatorNeeds } from '../operator-needs.ts';
import { faulty, planOf, readDocument, readConfiguration, type Plan, type Configuration, type Fault } from './plan.ts';
import { runTogether, type Ran, type StepRefused } from './together.ts';

/* The handlers of the settings as a file. */

export const configHandlers: Handlers<'config'> = {
  show: async (needs) => {
    const found = await versioned(needs);
    return found.ok ? ok({ version: found.value.version, config: found.value.settings.document }) : found;
  },
  plan: async (needs, input) => {
    const made = await planned(needs, input);
    if (!made.ok) return made;
    const { version, plan } = made.value;
    if (plan.steps.length === 0) return ok({ version, ...shownOf(plan) });
    const tried = await runTogether(needs, plan.steps, { first: keeping(needs, made.value), isTrial: true });
    if (!tried.ok) return tried;
    const { refusals } = tried.value;
    const trouble = refusals.find(({ rejection: { code } }) => code === 'unavailable' || code === 'internal_error');
    if (trouble) return refused(trouble.rejection);
    const [first, ...others] = refusals.map(faultOf);
    return first ? faulty([first, ...others]) : ok({ version, ...shownOf(plan) });
  },
  apply: async (needs, input) => {
    const made = await planned(needs, input);
    if (!made.ok) return made;
    const { version, plan } = made.value;
    if (version !== input.version) return refused({ code: 'conflict', detail: changedMeanwhile });
    if (plan.steps.length === 0) return ok({ version, ...shownOf(plan), secrets: [] });
    const done = await runTogether(needs, plan.steps, { first: keeping(needs, made.value), isTrial: false });
    if (!done.ok) return done;
    const [refusal] = done.value.refusals;
    if (refusal) return refused(inStep(refusal));
    const after = await versioned(needs);
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
};

interface Versioned {
  readonly settings: Configuration;
  /** The number of the newest apply; 0 before the first. */
  readonly newest: number;
  readonly version: string;
}

async function versioned(needs: OperatorNeeds): Promise<Result<Versioned, Rejection>> {
  const state = await needs.reader.ask('configState', undefined);
  if (!state.ok) return state;
  const settings = await readConfiguration(needs);
  if (!settings.ok) return settings;
  const newest = state.value?.number ?? 0;
  return ok({ settings: settings.value, newest, version: `${newest}-${settings.value.digest}` });
}

type Given = InputOf<typeof config.operations.plan>;

async function planned(
  needs: OperatorNeeds,
  { config: text, prune }: Given,
): Promise<Result<Versioned & { readonly plan: Plan }, Rejection>> {
  const wanted = readDocument(parsed(text));
  if (!wanted.ok) return wanted;
  const now = await versioned(needs);
  if (!now.ok) return now;
  const made = planOf(needs, now.value.settings, { wanted: wanted.value, prune });
  if (!made.ok) return made;
  const plan = made.value;
  if (plan.steps.length > stepsMax) {
    const detail = `the file makes ${plan.steps.length} changes, but at most ${stepsMax} are applied at once: apply a part of it first`;
    return refused({ code: 'conflict', detail });
  }
  return ok({ ...now.value, plan });
}

/** The command that keeps the settings before an apply. */
function keeping({ clock, caller }: OperatorNeeds, { newest: after, settings }: Versioned) {
  const { document: config } = settings;
  return { kind: 'keep-config', at: clock.now(), actor: caller.name, after, config } as const;
}

/** The place of a refused step in the document. */
function faultOf(refusal: StepRefused): Fault {
  const { step, rejection } = refusal;
  const reason = inStep(refusal);
  const detail = 'detail' in reason && reason.detail !== undefined ? reason.detail : reason.code;
  const { path, input } = step;
  const isInItem = rejection.code === 'invalid_parameter' && Object.hasOwn(input, rejection.field);
  return { field: isInItem ? `${path}.${rejection.field}` : path, detail };
}

/** Why a step is refused, with its name. */
function inStep({ step, rejection }: StepRefused): Rejection {
  const what = `${step.action} ${step.what}`;
  if (rejection.code === 'missing_parameter') {
    return { code: 'conflict', detail: `${what}: ${rejection.field} is missing` };
  }
  if ('detail' in rejection && rejection.detail !== undefined && rejection.code !== 'unavailable') {
    return { code: 'conflict', detail: `${what}: ${rejection.detail}` };
  }
  return rejection;
}

function parsed(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

function shownOf({ steps, kept }: Plan) {
  return { steps: steps.map(({ action, what, changes }) => ({ action, what, changes })), kept };
}

/** The secrets that the gateway made for new webhooks. */
function secretsIn(answers: Ran['answers']) {
  return answers.flatMap(({ step: { what, input }, answer }) => {
    const { secret }: { readonly secret?: unknown } = { ...Object(answer) };
    return typeof secret === 'string' && input['secret'] === undefined ? [{ what, secret }] : [];
  });
}
