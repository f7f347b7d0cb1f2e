/* Parts of pages that follow from the declaration of a resource: its lists, its answers, and one row with all that it has. */

import type { FieldTable } from '@morsel/api/fields/field.ts';
import type { AnswerOf, Operation, Operations, Resource } from '@morsel/api/admin/resource.ts';
import { labelOf } from '@morsel/api/fields/shown.ts';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { inputsIn, useName, useTexts } from '../app/search.ts';
import { askWhole } from '../app/client.ts';
import { isOfRange, rangeFor } from '../app/range.ts';
import { useMay } from '../app/session.ts';
import { words } from '../words/words.ts';
import { Act, Acts, changesRows, type ActionProps } from './action.tsx';
import { Head } from './page/head.tsx';
import { partTitle, saidOf } from './labels.ts';
import { Filters } from './list/filters.tsx';
import { List, type ListProps, type Texts } from './list.tsx';
import type { Cells, Row } from './list/rows.tsx';
import { All } from './pairs.tsx';
import { SettingsForm } from './form/settings-form.tsx';
import { Choices } from './page/choices.tsx';
import { Card, css, Failure, Figure, GoTo, Loading, type NextPage } from './ui.tsx';
import { Value } from './values.tsx';

interface Shared {
  readonly of: Resource;
  /** The operations on a row that have buttons. By default, all that change one row. */
  readonly acts?: readonly string[];
  /** What the page changes about some buttons, by the name of their operation. */
  readonly except?: Readonly<Record<string, ActionProps>>;
}

interface ListOfProps extends Shared, Partial<Omit<ListProps, 'operation'>> {
  /** The name of the operation that lists the rows. */
  readonly verb?: string;
  /** Whether there is a button to add a row, if the resource has such an operation. */
  readonly hasAdd?: boolean;
}

/** Where an operator goes on from an empty list, by its resource, if nothing can be added. */
const nextPages: Readonly<Record<string, NextPage>> = {
  alarm: 'settings',
  message: 'carriers',
  receipt: 'carriers',
  inbound: 'accounts',
  notification: 'accounts',
  refusal: 'accounts',
  session: 'accounts',
};

/** A list of a resource: the usual one has a button to add a row, and each row has buttons of what changes it. */
export function ListOf({ of, verb = 'list', hasAdd = verb === 'list', acts, except = {}, ...given }: ListOfProps) {
  const may = useMay();
  const { [verb]: operation, add } = of.operations;
  if (!operation) return null;
  const { fixed = {}, toolbar } = given;
  const said = operation.command?.whenEmpty;
  const canAdd = add && may(add);
  const hasActs = acts ? acts.length > 0 : verb === 'list' && changesRows(of);
  return (
    <List
      title={partTitle(of, verb)}
      operation={operation}
      whenEmpty={said && saidOf(said)}
      next={
        canAdd ? (
          <Act of={of} verb="add" kind="primary" fixed={fixed} {...except['add']} />
        ) : (
          <GoTo page={nextPages[of.name] ?? 'overview'} />
        )
      }
      {...(hasActs && { actions: (row) => <Acts of={of} row={row} acts={acts} except={except} /> })}
      {...given}
      toolbar={
        <>
          {hasAdd && <Act of={of} verb="add" kind="primary" fixed={fixed} {...except['add']} />}
          {toolbar}
        </>
      }
    />
  );
}

/** The page of a list, with the button to add a row in its head. */
export function ListPage({ title, ...list }: ListOfProps & { readonly title: string }) {
  return (
    <>
      <Head title={title} actions={<Act of={list.of} verb="add" kind="primary" {...list.except?.['add']} />} />
      <ListOf title="" hasAdd={false} acts={[]} {...list} />
    </>
  );
}

/** What an operation answers for these values. */
function useAnswer(operation: Operation | undefined, given: Texts, refetchMs?: number) {
  return useQuery({
    queryKey: [operation?.path, given],
    queryFn: operation ? () => askWhole(operation, given) : skipToken,
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  });
}

/** The answer of an operation, in cards. Its other inputs are filters, as those of a list. */
function Answer({ of, verb = 'show', fixed = {}, usual = {}, without = [], cells, above, refetchMs }: Part) {
  const { [verb]: operation, set } = of.operations;
  const search = useTexts();
  const { input = {} } = operation ?? {};
  const given = { ...usual, ...inputsIn(input, search).given, ...rangeFor(input, search), ...fixed };
  const may = useMay();
  const { data, error } = useAnswer(operation, given, refetchMs);
  // A part is shown only if there is such an operation.
  if (!operation) return null;
  const names = Object.keys(input).filter((name) => !Object.hasOwn(fixed, name) && !isOfRange(input, name));
  const title = partTitle(of, verb);
  const answer = operation.command?.whole?.answer ?? operation.answer;
  const settings = verb === 'show' && set && may(set) ? set : undefined;
  return (
    <>
      {names.length > 0 && (
        <Card title={title}>
          <Filters operation={operation} fixed={fixed} given={given} />
        </Card>
      )}
      {error && <Failure error={error} />}
      {!data && !error && <Loading />}
      {data && above?.(data)}
      {data && settings && <SettingsForm operation={settings} row={data} fixed={fixed} />}
      {data && (
        <All
          {...{ answer, title, cells }}
          row={data}
          without={[...Object.keys(fixed), ...without, ...namesIn(settings, answer)]}
        />
      )}
    </>
  );
}

/** The fields of an answer that the form of settings has, and objects of such fields. */
function namesIn(settings: Operation | undefined, answer: FieldTable): readonly string[] {
  const isSetting = (name: string) => settings !== undefined && Object.hasOwn(settings.input, name);
  return Object.keys(answer).filter(
    (name) => isSetting(name) || Object.keys(answer[name]?.rows?.answer ?? { [name]: name }).every(isSetting),
  );
}

/** A part of a page: by default, the list or the answer of its operation, and what is under it. */
export interface Part extends ListOfProps {
  /** The text of the tab, if it is not the title. */
  readonly label?: string;
  /** The fields of an answer that are not shown. */
  readonly without?: readonly string[];
  /** What stands above an answer. */
  readonly above?: (row: Row) => ReactNode;
  /** Values of an answer's inputs, unless the URL has others. */
  readonly usual?: Texts;
  readonly content?: () => ReactNode;
  readonly also?: readonly Part[];
}

/** Parts as tabs, by their names in the URL. A part whose operation the viewer's role may not call is left out. */
export function Parts({
  parts,
  fixed = {},
}: {
  readonly parts: Readonly<Record<string, Part>>;
  readonly fixed?: Texts;
}) {
  const may = useMay();
  const tabs = Object.entries(parts).flatMap(([name, part]) => {
    const { of, verb = 'list', title = partTitle(of, verb), label = title } = part;
    const operation = of.operations[verb];
    if (!operation || !may(operation)) return [];
    const content = () =>
      [part, ...(part.also ?? [])].map(({ also: _also, label: _label, content: own, ...each }) => {
        const key = `${each.of.name} ${each.verb}`;
        const given = { fixed, ...each };
        if (own)
          return (
            <div key={key} className={css['stack']}>
              {own()}
            </div>
          );
        return each.of.operations[each.verb ?? 'list']?.isPage ? (
          <ListOf key={key} {...given} />
        ) : (
          <Answer key={key} {...given} />
        );
      });
    return [{ name, label, content }];
  });
  return <Tabs tabs={tabs} />;
}

interface Tab {
  readonly name: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

/** Tabs of a page. The open one is in the URL. */
function Tabs({ tabs }: { readonly tabs: readonly Tab[] }) {
  const { tab } = useTexts();
  const open = tabs.find(({ name }) => name === tab) ?? tabs[0];
  return (
    <div className={css['stack']}>
      <Choices label={words.tabs} of="tab" choices={tabs} chosen={open?.name} />
      <div key={open?.name} className={css['stack']}>
        {open?.content()}
      </div>
    </div>
  );
}

type Shown = Operations & { readonly show: Operation };

interface DetailProps<O extends Shown> extends Pick<Shared, 'acts'> {
  readonly of: Resource<O>;
  /** By default, the name in the URL. */
  readonly title?: (name: string, row: AnswerOf<O['show']> | undefined) => string;
  /** What the page changes about some buttons, by the name of their operation. */
  readonly except?: (row: AnswerOf<O['show']>) => Readonly<Record<string, ActionProps>>;
  /** Further buttons, before those of the row. */
  readonly head?: (name: string, row: AnswerOf<O['show']>) => ReactNode;
  /** The page to go to when the row is removed. */
  readonly back?: string;
  readonly figures?: readonly string[];
  readonly cells?: Cells;
  readonly refetchMs?: number;
  /** What stands above the parts. By default, if there are no parts: all fields of the row. */
  readonly content?: (row: AnswerOf<O['show']>) => ReactNode;
  readonly parts?: (name: string) => Readonly<Record<string, Part>>;
}

/** The page of one row, which the URL names: its buttons, its figures, and its parts. */
export function Detail<O extends Shown>(props: DetailProps<O>) {
  const { of, title, head, back, acts, except, figures = [], cells = {}, refetchMs, content, parts } = props;
  const navigate = useNavigate();
  const name = useName();
  const { show } = of.operations;
  const fixed = { [show.keys[0] ?? '']: name };
  const { data, error, isPending } = useAnswer(show, fixed, refetchMs);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
  const row = data as (AnswerOf<O['show']> & Row) | undefined;
  const leave = () => {
    void navigate({ to: back ?? '/' });
    return undefined;
  };
  const heading = title?.(name, row) ?? name;
  const tabs = parts?.(name);
  const buttons = row && (
    <>
      {head?.(name, row)}
      <Acts
        {...{ of, row, acts }}
        without={Object.values(tabs ?? {}).some(({ verb }) => verb === 'show') ? ['set'] : []}
        except={{ ...(back !== undefined && { remove: { onDone: leave } }), ...except?.(row) }}
      />
    </>
  );
  return (
    <>
      <Head title={heading} actions={buttons} />
      {error && <Failure error={error} />}
      {isPending && <Loading />}
      {row && (
        <div className={css['stack']}>
          {figures.length > 0 && <Figures {...{ answer: show.answer, names: figures, row, cells }} />}
          {content?.(row)}
          {tabs && <Parts parts={tabs} fixed={fixed} />}
          {!content && !tabs && <All {...{ answer: show.answer, row, cells }} title={heading} />}
        </div>
      )}
    </>
  );
}

interface FiguresProps {
  readonly answer: FieldTable;
  readonly names: readonly string[];
  readonly row: Row;
  readonly cells: Cells;
}

function Figures({ answer, names, row, cells }: FiguresProps) {
  return (
    <dl className={css['figures']}>
      {names.map((name) => {
        const field = answer[name];
        return (
          field && (
            <Figure key={name} label={labelOf(answer, name)}>
              {cells[name]?.(row) ?? <Value name={name} field={field} value={row[name]} row={row} />}
            </Figure>
          )
        );
      })}
    </dl>
  );
}
