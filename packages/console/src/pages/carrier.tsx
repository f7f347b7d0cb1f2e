/* One carrier: the state of its links, what the gateway learned of it, and its settings. */

import { carrier, evidenceFields, linkFields, stepFields, traitFields } from '@morsel/api/admin/routing/carrier.ts';
import { costFields } from '@morsel/api/admin/routing/carrier-cost.ts';
import { profileFields } from '@morsel/api/admin/routing/kinds/smpp.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import type { AnswerOf, GivenOf } from '@morsel/api/admin/resource.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { searchOf, useTyped } from '../app/search.ts';
import { calls, valueOf } from '../app/client.ts';
import { useMay } from '../app/session.ts';
import { ActionButton } from '../ui/action.tsx';
import { Head } from '../ui/head.tsx';
import { TextInput } from '../ui/inputs.tsx';
import type { Row, Texts } from '../ui/list.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { Button, Card, css, Empty, Failure, Figure, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { CarrierAnswers } from './carrier/answers.tsx';
import { Health } from './carrier/health.tsx';
import { CarrierHistory } from './carrier/history.tsx';
import { messageCells } from './cells.tsx';
import { InDoubt } from './decide/in-doubt.tsx';
import { UnmatchedReceipts } from './decide/unmatched.tsx';

const { show, set, test, pause, resume, drain, rebind, remove, cost } = carrier.operations;
type Costs = AnswerOf<typeof cost>['costs'][number];
const refetchMs = 1_000;
const linkColumns = [
  'link',
  'state',
  'node',
  'since',
  'windowUsed',
  'windowMax',
  'pace',
  'accepted',
  'refused',
  'throttles',
];
const linkTrouble = ['inDoubt', 'reconnects', 'nextTryAt', 'pausedUntil', 'lastError', 'lastErrorAt'];

export function Carrier() {
  const may = useMay();
  const navigate = useNavigate();
  const { name = '' }: { readonly name?: string } = useParams({ strict: false });
  const fixed = { carrier: name };
  const found = useQuery({
    queryKey: [show.path, name],
    queryFn: () => valueOf(calls.carrier.show(fixed)),
    refetchInterval: refetchMs,
  });
  const row = found.data;
  return (
    <>
      <Head
        title={name}
        actions={
          row && (
            <>
              <ActionButton
                label={words.test}
                operation={test}
                fixed={fixed}
                onDone={(answer) => <TestSteps answer={answer} />}
              />
              {row.status === 'active' ? (
                <ActionButton
                  label={words.pause}
                  operation={pause}
                  fixed={fixed}
                  kind="danger"
                  warning={words.carrier.pauseWarns(row.waiting)}
                />
              ) : (
                <ActionButton label={words.resume} operation={resume} fixed={fixed} kind="primary" />
              )}
              <ActionButton
                label={words.carrier.drain}
                operation={drain}
                fixed={fixed}
                kind="danger"
                warning={words.carrier.drainWarns(row.waiting)}
              />
              <ActionButton
                label={words.carrier.rebind}
                operation={rebind}
                fixed={fixed}
                warning={words.carrier.rebindWarns(row.links)}
              />
              <ActionButton label={words.edit} operation={set} fixed={fixed} row={{ ...row }} />
              <ActionButton
                label={words.remove}
                operation={remove}
                fixed={fixed}
                kind="danger"
                warning={words.carrier.removeWarns}
                onDone={() => {
                  void navigate({ to: '/carriers' });
                  return undefined;
                }}
              />
            </>
          )
        }
      />
      {found.error && <Failure error={found.error} />}
      {found.isPending && <Empty>{words.loading}</Empty>}
      {row && (
        <div className={css['stack']}>
          <dl className={css['figures']}>
            <Figure label={words.account.status}>
              <Health row={row} />
            </Figure>
            <Figure label={words.carrier.waiting}>{row.waiting}</Figure>
            <Figure label={words.decide.inDoubt}>{row.inDoubtParts}</Figure>
            <Figure label={words.decide.receipts}>{row.unmatchedReceipts}</Figure>
          </dl>
          <RowsCard
            title={words.carrier.links}
            file={`links-${name}`}
            answer={linkFields}
            columns={[...linkColumns, ...linkTrouble]}
            rows={row.linkStates.map(presentErrors)}
            actions={({ link }) => (
              <ActionButton label={words.carrier.rebind} operation={rebind} fixed={{ ...fixed, link }} />
            )}
            whenEmpty={words.carrier.noLinks}
          />
          <Tabs
            tabs={[
              { name: 'history', label: words.carrier.history, content: () => <CarrierHistory name={name} /> },
              { name: 'answers', label: words.carrier.answers, content: () => <CarrierAnswers name={name} /> },
              { name: 'learned', label: words.carrier.learned, content: () => <Learned name={name} /> },
              {
                name: 'settings',
                label: words.carrier.settings,
                content: () => (
                  <div className={css['columns']}>
                    <Card title={words.carrier.settings}>
                      <Pairs answer={show.answer} row={row} without={['name', 'status', 'waiting', 'inDoubtParts']} />
                    </Card>
                    <Card title={words.carrier.profile}>
                      <Pairs answer={profileFields} row={row.profile} />
                    </Card>
                  </div>
                ),
              },
              ...(may(message.operations.inDoubt)
                ? [
                    { name: 'doubt', label: words.decide.inDoubt, content: () => <InDoubt carrier={name} /> },
                    {
                      name: 'receipts',
                      label: words.decide.receipts,
                      content: () => <UnmatchedReceipts carrier={name} />,
                    },
                  ]
                : []),
              ...(may(cost) ? [{ name: 'cost', label: words.carrier.cost, content: () => <Cost name={name} /> }] : []),
            ]}
          />
        </div>
      )}
    </>
  );
}

function TestSteps({ answer: { isDone, steps } }: { readonly answer: Row }) {
  return (
    <div className={css['stack']}>
      <Note tone={isDone ? 'good' : 'bad'}>{isDone ? words.carrier.testDone : words.carrier.testFailed}</Note>
      <ol className={css['plain']}>
        {(Array.isArray(steps) ? steps : []).map((step, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the steps are in order and never change
          <li key={at}>
            <Pairs answer={stepFields} row={Object(step)} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function Learned({ name }: { readonly name: string }) {
  const { learned } = carrier.operations;
  const found = useQuery({
    queryKey: [learned.path, name],
    queryFn: () => valueOf(calls.carrier.learned({ carrier: name })),
  });
  if (found.error) return <Failure error={found.error} />;
  if (!found.data) return <Empty>{words.loading}</Empty>;
  const { dialect, evidence, unmatched } = found.data;
  return (
    <>
      <Card title={words.carrier.rule}>
        <Pairs answer={learned.answer} row={found.data} without={['carrier']} />
      </Card>
      <RowsCard
        title={words.carrier.dialect}
        file={`dialect-${name}`}
        answer={traitFields}
        rows={dialect}
        whenEmpty={words.carrier.noReceipts}
      />
      {evidence.length > 0 && (
        <RowsCard
          title={words.carrier.evidence}
          file={`evidence-${name}`}
          answer={evidenceFields}
          rows={evidence}
          cells={messageCells}
        />
      )}
      <Card title={words.decide.receipts}>
        <p>{words.carrier.unmatched(unmatched.unknown, unmatched.unreadable, unmatched.dropped)}</p>
      </Card>
    </>
  );
}

/** The row of a link, without its last error if the link is bound again. */
function presentErrors(link: Row): Row {
  return link['downSince'] === null ? { ...link, lastError: null, lastErrorAt: null } : link;
}

/** Adds up the costs of all pages, because one answer covers a limited number of messages. */
async function costsOf(given: GivenOf<typeof cost>): Promise<readonly Costs[]> {
  const sums = new Map<string, Costs>();
  let { to } = given;
  for (let after: string | null | undefined; after !== null;) {
    const page = await valueOf(calls.carrier.cost({ ...given, to, after }));
    for (const each of page.costs) {
      const key = `${each.currency} ${each.unitCost}`;
      sums.set(key, { ...each, parts: each.parts + (sums.get(key)?.parts ?? 0) });
    }
    // Later pages are for the same period as the first page.
    ({ to, next: after } = page);
  }
  return [...sums.values()];
}

function Cost({ name }: { readonly name: string }) {
  const navigate = useNavigate();
  const month = new Date().toISOString().slice(0, 7);
  const { from = `${month}-01`, to = '' }: Texts = useSearch({ strict: false });
  const [given, setGiven] = useTyped({ from, to });
  const found = useQuery({
    queryKey: [cost.path, name, from, to],
    queryFn: () => costsOf({ carrier: name, from, ...(to !== '' && { to }) }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ to: '.', search: searchOf({ tab: 'cost', from: given['from'], to: given['to'] || undefined }) });
  };
  return (
    <RowsCard
      title={words.carrier.cost}
      file={`cost-${name}`}
      answer={costFields}
      rows={found.data ?? []}
      whenEmpty={found.isPending ? words.loading : words.carrier.noCost}
    >
      <form className={css['filters']} onSubmit={submit}>
        <TextInput
          label={words.carrier.from}
          text={given['from'] ?? ''}
          onText={(text) => setGiven({ ...given, from: text })}
        />
        <TextInput
          label={words.carrier.to}
          text={given['to'] ?? ''}
          onText={(text) => setGiven({ ...given, to: text })}
        />
        <Button type="submit">{words.filter}</Button>
      </form>
      {found.error && <Failure error={found.error} />}
    </RowsCard>
  );
}
