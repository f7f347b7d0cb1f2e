import { settings } from '@morsel/gateway/config.ts';
import { refusals, shownCode } from '@morsel/gateway/edge/refusals.ts';
import { metrics, typeOf } from '@morsel/gateway/edge/metrics/scrape.ts';
import { alarmKindNames, alarmKindOf } from '@morsel/api/admin/alarm/kinds.ts';
import { mayCall, roleMeanings, roles, seesPersonal } from '@morsel/api/admin/access/role.ts';
import { resources } from '@morsel/api/admin/resources.ts';
import type { Resource } from '@morsel/api/admin/resource.ts';
import { problems, type ProblemKind } from '@morsel/api/problems.ts';
import { endings } from '@morsel/simulator/endings';
import { statuses } from '@morsel/smpp';
import { asSentence, code, codes, table, type Page } from './page.ts';

/* The pages that are one list each. */

export function settingsPage(): Page {
  const rows = Object.entries(settings).map(([name, { default: usual, means, form }]) => [
    code(name),
    usual === '' ? '' : code(usual),
    means,
    form.wants,
  ]);
  const about = `Environment variables of \`morsel serve\`. All other settings are made by commands while the gateway runs. Port 0 is any free port.`;
  return {
    file: 'settings.md',
    title: 'Settings',
    summary: 'the environment variables of the gateway',
    blocks: [about, table(['setting', 'default', 'what it is', 'allowed values'], rows)],
  };
}

interface Refused {
  readonly statuses: readonly number[];
  readonly title: string;
  readonly submitSm: unknown;
}

export function refusalsPage(): Page {
  const all = Object.entries<Refused>(refusals);
  const ofClients = all.flatMap(([name, { title, submitSm }]) => {
    const problem = Object.entries<ProblemKind>(problems).find(([each]) => each === name)?.[1];
    const smpp = statusOf(submitSm);
    if (problem) return [[code(name), problem.statuses.join(', '), smpp, problem.meaning]];
    return isOfSmpp(submitSm) ? [[code(shownCode(name)), '', smpp, asSentence(title)]] : [];
  });
  const others = all
    .filter(([name, { submitSm }]) => !Object.hasOwn(problems, name) && !isOfSmpp(submitSm))
    .map(([name, { statuses: its, title }]) => [code(name), its.join(', '), title]);
  return {
    file: 'refusals.md',
    title: 'Refusals',
    summary: 'the codes of refused requests, over HTTP and SMPP',
    blocks: [
      'The `code` of a refused request stays the same in later versions. A refused request changes nothing.',
      '## Of clients',
      table(['code', 'HTTP', 'submit_sm', 'meaning'], ofClients),
      "## Of the operator's API",
      "The operator's API answers the codes above, too, and these:",
      table(['code', 'HTTP', 'meaning'], others),
    ],
  };
}

/** Whether a code that HTTP does not have is about a field of a PDU, which then decides the status. */
function isOfSmpp(status: unknown): boolean {
  return typeof status === 'function';
}

/** The name of a command_status; the status of some codes depends on the field or the limit. */
function statusOf(status: unknown): string {
  const found = Object.entries(statuses).find(([, number]) => number === status);
  return found ? code(found[0]) : 'depends on the field or rule';
}

export function rolesPage(): Page {
  const declared: { readonly [name: string]: Resource } = resources;
  const operations = Object.entries(declared).flatMap(([name, resource]) =>
    Object.entries(resource.operations).map(([verb, { role }]) => ({ id: `${name}.${verb}`, role })),
  );
  const rows = roles.map((role) => [
    code(role),
    roleMeanings[role],
    seesPersonal(role) ? 'yes' : 'no',
    codes(roles.filter((least) => mayCall(role, least))),
  ]);
  const lists = roles.map((least) => [
    code(least),
    codes(operations.filter(({ role }) => role === least).map(({ id }) => id)),
  ]);
  return {
    file: 'roles.md',
    title: 'Roles',
    summary: 'the roles of operators, and the operations of each',
    blocks: [
      table(['role', 'may do', 'sees whole numbers and texts', 'may call operations of'], rows),
      'Each operation has the least role that may call it:',
      table(['role', 'operations'], lists),
    ],
  };
}

export function alarmsPage(): Page {
  const rows = alarmKindNames.map((kind) => {
    const { severity, summary, threshold, forSeconds, subject, mending } = alarmKindOf(kind);
    return [
      code(kind),
      severity,
      summary,
      threshold ? `${threshold.value} ${threshold.unit} (${threshold.min} to ${threshold.max})` : '',
      `${forSeconds} s`,
      subject,
      asSentence(mending),
    ];
  });
  const headings = ['kind', 'severity', 'opens when', 'threshold (range)', 'for', 'subject', 'what to do'];
  return {
    file: 'alarms.md',
    title: 'Alarms',
    summary: 'the kinds of alarms, with their thresholds and what to do',
    blocks: [
      'An alarm opens when its threshold was reached for the time in "for" without a break. `alarm set` changes both.',
      table(headings, rows),
    ],
  };
}

export function metricsPage(): Page {
  const rows = Object.entries(metrics).map(([name, metric]) => [
    code(name),
    typeOf(name, metric),
    codes(metric.labels),
    metric.help,
  ]);
  return {
    file: 'metrics.md',
    title: 'Metrics',
    summary: 'the metrics of `GET /metrics`',
    blocks: [
      'Beside these, `process_*` and `nodejs_*` are those of the library prom-client.',
      table(['metric', 'type', 'labels', 'what it is'], rows),
    ],
  };
}

export function simulatorPage(): Page {
  const rows = Object.entries(endings).map(([ending, { about }]) => [code(ending), about]);
  return {
    file: 'simulator.md',
    title: 'Numbers of the simulated carrier',
    summary: 'receivers that make the simulated carrier refuse, delay or lose messages',
    blocks: [
      'Receivers that end in these digits behave as described, with any country code. Messages to all other receivers are delivered.',
      table(['last digits', 'what happens'], rows),
    ],
  };
}
