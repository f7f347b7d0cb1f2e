import { printable } from '@morsel/api/admin/shown.ts';
import { carrier, stepFields } from '@morsel/api/admin/routing/carrier.ts';
import { presets, profileFields } from '@morsel/api/admin/routing/carrier-settings.ts';
import { writeJson } from '@morsel/api/admin/exact-json.ts';
import { jsonOf, typedText } from '@morsel/api/admin/field.ts';
import { text } from '@morsel/api/admin/fields.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { hostAndPort } from '@morsel/api/values/host.ts';
import { ok, refused } from '@morsel/api/values/result.ts';
import { profileOf, standardProfile, type CarrierProfile } from '@morsel/gateway/core/routing/carrier-profile.ts';
import { gatewayCalls } from '../admin-client.ts';
import { commandsOf } from '../bind.ts';
import { runCarrierCost } from './carrier-cost.ts';
import { showLearned } from './carrier-learned.ts';
import type { Command, Shell } from '../command.ts';
import { labelOf } from '../given.ts';
import { reconcileCommand } from './invoice/reconcile.ts';
import { linkTable } from './link-table.ts';
import { tableOf, type Shown } from '../show.ts';
import { card, paint } from '../table.ts';

/*
 * The commands of carriers, with the code that their declaration cannot contain: a table of links, a test, and presets.
 */

type Carrier = AnswerOf<typeof carrier.operations.show>;

export const carrierCommands: readonly Command[] = [
  ...commandsOf(carrier, {
    add: { says: showCarrier },
    show: { says: showCarrier },
    set: { says: showCarrier },
    drain: { says: showCarrier },
    rebind: { says: showCarrier },
    test: { run: testCarrier },
    cost: { run: runCarrierCost },
    learned: { says: showLearned },
  }),
  reconcileCommand,
  {
    words: 'carrier presets',
    summary: 'List the presets: profiles of settings for a new carrier',
    examples: [['carrier presets', 'each preset with the options that it sets']],
    run: async (_input, { hasColour }) => {
      const rows = Object.entries(presets).map(([preset, { summary }]) => ({
        name: preset,
        summary,
        settings: profileSettings(profileOf(preset)).join(' '),
      }));
      const shown = tableOf({ answer: presetFields }, rows, { hasColour, whenEmpty: 'there are no presets' });
      return ok({ json: JSON.stringify(rows), text: shown });
    },
  },
];

const presetFields = {
  name: text({ summary: 'name of the preset' }),
  settings: text({ summary: 'options that the preset sets', title: 'SETS' }),
  summary: text({ summary: 'purpose', title: 'WHAT FOR' }),
};

function showCarrier(shown: Carrier, { hasColour }: Pick<Shell, 'hasColour'>): string {
  const { idRule, learnedRule, throughput } = shown;
  const settings = card([
    ['name', shown.name],
    ['status', paint(shown.status, hasColour)],
    ['address', hostAndPort(shown.host, shown.port)],
    ['system_id', shown.systemId],
    ['system_type', shown.systemType],
    ['window', String(shown.window)],
    ['a second', throughput === 0 ? 'no limit' : String(throughput)],
    ['in doubt', shown.inDoubt],
    ['id rule', idRule === 'auto' ? `auto: ${learnedRule ?? 'no rule is learned yet'}` : idRule],
    ['cost list', shown.costList === null ? 'none' : `${shown.costList}, in ${shown.costCurrency}`],
    ['receipts unmatched', `${shown.unmatchedReceipts}, ${shown.droppedReceipts} given up`],
    ['profile', printable(profileSettings(shown.profile).join(' ')) || 'standard'],
    ['parts waiting', String(shown.waiting)],
    ['parts in doubt', String(shown.inDoubtParts)],
    ['made', carrier.operations.show.answer.createdAt.cell(shown.createdAt)],
  ]);
  return `${settings}\n\n${linkTable(shown.linkStates, { hasColour, now: Date.now() })}`;
}

/**
 * The settings in which a profile differs from the standard profile, as options. Certificates are shown as `(PEM)`.
 */
function profileSettings(profile: CarrierProfile): string[] {
  const standard = jsonOf(profileFields, standardProfile);
  const shown = jsonOf(profileFields, profile);
  return Object.entries(profileFields).flatMap(([name, field]) => {
    if (shown[name] === standard[name]) return [];
    const value = typedText(shown[name]);
    const setting = `--${labelOf(name, field)} ${value.startsWith('-----BEGIN') ? isThere : value}`;
    // Every certificate has a key. The key is never shown.
    return name === 'tlsCertificate' ? [setting, `--tls-key-file ${isThere}`] : [setting];
  });
}

const isThere = '(PEM)';

const shownSteps: Shown<typeof stepFields> = {
  answer: stepFields,
  columns: ['step', 'address', 'ms', { title: 'OK', of: ({ isDone }) => (isDone ? 'yes' : 'no') }, 'says'],
};

/** Prints all steps of the test. If a step failed, the command fails. */
async function testCarrier(given: { readonly [field: string]: string }, shell: Shell): ReturnType<Command['run']> {
  const tested = await gatewayCalls(shell).carrier.test({ carrier: given['carrier'] ?? '' });
  if (!tested.ok) return tested;
  const { steps } = tested.value;
  const shown = tableOf(shownSteps, steps, { hasColour: shell.hasColour, whenEmpty: '' });
  const report = { json: writeJson(jsonOf(carrier.operations.test.answer, tested.value)), text: shown };
  const failed = steps.find(({ isDone }) => !isDone);
  if (!failed) return ok(report);
  shell.report(report);
  return refused({
    kind: 'refused',
    detail: `carrier ${tested.value.carrier}, ${failed.step}: ${printable(failed.says)}`,
  });
}
