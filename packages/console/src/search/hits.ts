/* What the search of the head finds: messages, filters, names, single settings, and actions. */

import { account } from '@morsel/api/admin/account/account.ts';
import { login } from '@morsel/api/admin/account/login.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { price } from '@morsel/api/admin/money/price.ts';
import { settingsOf, type Operation, type Resource } from '@morsel/api/admin/resource.ts';
import { carrier } from '@morsel/api/admin/routing/carrier.ts';
import { route } from '@morsel/api/admin/routing/route.ts';
import { readTokens } from '@morsel/api/admin/tokens.ts';
import { useQueries } from '@tanstack/react-query';
import { calls, valueOf } from '../app/client.ts';
import { isoOf } from '../app/range.ts';
import { useMay } from '../app/session.ts';
import { actLabel, changesOfRows } from '../ui/action.tsx';
import { choicesOf } from '../ui/form/inputs.tsx';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { words } from '../words/words.ts';

type Texts = Readonly<Record<string, string>>;

export interface Hit {
  readonly group: string;
  readonly label: string;
  /** The page to go to. */
  readonly to?: string;
  readonly search?: Texts;
  /** The text of the search, completed. */
  readonly text?: string;
  /** The form to open. A form of settings has one of them. */
  readonly form?: { readonly of: Resource; readonly verb: string; readonly name: string; readonly setting?: string };
}

const { search: said } = words;
const limit = 200;
const { find } = message.operations;

interface Source {
  readonly group: string;
  readonly operation: Operation;
  /** The resource whose settings and actions are found, too. */
  readonly of?: Resource;
  readonly ask: () => Promise<readonly (readonly [name: string, to: string])[]>;
}

const pageOf = (path: string) => (name: string) => [name, `${path}/${encodeURIComponent(name)}`] as const;

const sources: readonly Source[] = [
  {
    group: words.pages.carriers,
    operation: carrier.operations.list,
    of: carrier,
    ask: async () => (await valueOf(calls.carrier.list({ limit }))).items.map(({ name }) => pageOf('/carriers')(name)),
  },
  {
    group: words.pages.accounts,
    operation: account.operations.list,
    of: account,
    ask: async () => (await valueOf(calls.account.list({ limit }))).items.map(({ name }) => pageOf('/accounts')(name)),
  },
  {
    group: words.pages.prices,
    operation: price.operations.list,
    ask: async () => (await valueOf(calls.price.list({ limit }))).items.map(({ list }) => pageOf('/prices')(list)),
  },
  {
    group: words.pages.routes,
    operation: route.operations.list,
    ask: async () =>
      (await valueOf(calls.route.list({ limit }))).items.map(({ prefix, carrier: by }) => [
        `${prefix} ${by}`,
        '/routes',
      ]),
  },
  {
    group: said.logins,
    operation: login.operations.list,
    ask: async () =>
      (await valueOf(calls.login.list({ limit }))).items.map((each) => [
        each.systemId,
        `/accounts/${each.account}?tab=logins`,
      ]),
  },
];

const freshMs = 60_000;
const hitsMax = 12;

/** What is found for a text, and why a token of it cannot be used. */
export function useHits(
  text: string,
  isOpen: boolean,
): { readonly hits: readonly Hit[]; readonly wrong: readonly string[] } {
  const may = useMay();
  const known = sources.filter(({ operation }) => may(operation));
  const found = useQueries({
    queries: known.map(({ operation, ask }) => ({
      queryKey: ['suggestions', 'search', operation.path],
      queryFn: ask,
      enabled: isOpen,
      staleTime: freshMs,
    })),
  });
  const { given, words: typed, wrong } = readTokens(text, find.input, isoOf);
  const [word = '', ...more] = typed;
  const named = known.flatMap(({ group, of }, at) =>
    (found[at]?.data ?? []).flatMap(([name, to]): readonly Hit[] => {
      const rest = typed.filter((each) => !name.toLowerCase().includes(each.toLowerCase()));
      if (word === '' || rest.length === typed.length) return [];
      if (rest.length === 0) return [{ group, label: name, to }];
      return of ? formsOf(of, name, may).filter(({ label }) => isHit(label, rest)) : [];
    }),
  );
  const filters = Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  const group = words.pages.messages;
  const messages: Hit[] = [];
  if (may(find) && wrong.length === 0) {
    if (typed.length === 0 && filters.length > 0)
      messages.push({ group, label: said.withFilters(filters.join(', ')), to: '/messages', search: given });
    if (typed.length > 0 && filters.length === 0)
      messages.push({
        group,
        label: said.withWord(typed.join(' ')),
        to: '/messages',
        search: { find: typed.join(' ') },
      });
  }
  const exact = named.filter(({ label }) => label.toLowerCase().startsWith(word.toLowerCase()) || more.length > 0);
  const rest = named.filter((each) => !exact.includes(each));
  return {
    hits: [...exact, ...messages, ...rest, ...completions(text, found[1]?.data ?? [])].slice(0, hitsMax),
    wrong,
  };
}

function isHit(label: string, wanted: readonly string[]): boolean {
  return wanted.every((each) => label.toLowerCase().includes(each.toLowerCase()));
}

/** The forms of what changes a row, and of each of its settings. */
function formsOf(of: Resource, name: string, may: ReturnType<typeof useMay>): readonly Hit[] {
  const { set } = of.operations;
  const actions = changesOfRows(of).filter(([verb, operation]) => verb !== 'set' && may(operation));
  const settings = set && may(set) ? settingsOf(set) : {};
  return [
    ...actions.map(([verb, operation]) => ({
      group: said.actions,
      label: `${actLabel(of, verb, operation)} ${name}`,
      form: { of, verb, name },
    })),
    ...Object.keys(settings).map((setting) => ({
      group: said.settings,
      label: `${name}: ${labelOf(settings, setting)}`,
      form: { of, verb: 'set', name, setting },
    })),
  ];
}

/** Filters that begin like the last word, and the values of the last filter. */
function completions(text: string, accounts: readonly (readonly [name: string, to: string])[]): readonly Hit[] {
  const [last = ''] = /\S*$/.exec(text) ?? [];
  if (last === '') return [];
  const before = text.slice(0, text.length - last.length);
  const [token = '', value] = last.split(':');
  const complete = (label: string, end: string) => ({ group: said.filters, label, text: `${before}${label}${end}` });
  if (value === undefined)
    return Object.keys(find.input)
      .filter((name) => name !== 'after' && name !== 'limit' && name.toLowerCase().startsWith(token.toLowerCase()))
      .map((name) => complete(`${name}:`, ''));
  const field = Object.entries(find.input).find(([name]) => name === token)?.[1] as
    | Operation['input'][string]
    | undefined;
  const values = token === 'account' ? accounts.map(([name]) => name) : ((field && choicesOf(field)) ?? []);
  return values
    .filter((each) => each.startsWith(value) && each !== value)
    .map((each) => complete(`${token}:${each}`, ' '));
}
