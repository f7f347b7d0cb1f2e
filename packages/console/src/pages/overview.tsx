/* What the gateway does now, what holds it up, and what it did in the last hours and days. */

import { traffic } from '@morsel/api/admin/running/traffic.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { use, type ReactNode } from 'react';
import { locale } from '../app/format.ts';
import { useTexts } from '../app/search.ts';
import { calls, valueOf } from '../app/client.ts';
import { LiveContext, rateAt, unknownMs, useAge, type Figures } from '../app/live.ts';
import { Chart, everySlot } from '../ui/chart.tsx';
import { Choices } from '../ui/page/choices.tsx';
import { Head } from '../ui/page/head.tsx';
import { Card, classes, css, Empty, Failure, Figure, GoTo, Loading } from '../ui/ui.tsx';
import { Money, Time } from '../ui/values.tsx';
import { words } from '../words/words.ts';
import { CarriersInTrouble } from './carrier/health.tsx';
import own from './overview/overview.module.css';

const liveMs = 120_000;

export function Overview() {
  const { figures, gotMs } = use(LiveContext);
  const newest = figures.at(-1);
  const ageMs = useAge(gotMs);
  return (
    <>
      <Head title={words.pages.overview} {...(newest?.node ? { about: words.overview.node(newest.node) } : {})} />
      <div className={css['stack']}>
        <CarriersInTrouble />
        {!newest && <Loading />}
        {newest && (ageMs > unknownMs ? <Unknown /> : <Now figures={figures} newest={newest} />)}
        <History />
      </div>
    </>
  );
}

function Unknown() {
  const { overview } = words;
  return (
    <ol className={own['flow']} aria-label={overview.flow}>
      {[overview.clients, overview.store, overview.carriers, overview.receipts].map((title) => (
        <Stage key={title} title={title}>
          <Rate value="–" unit="" />
        </Stage>
      ))}
    </ol>
  );
}

interface NowProps {
  readonly figures: readonly Figures[];
  readonly newest: Figures;
}

const countText = (value: number) => value.toLocaleString(locale);

function Now({ figures, newest }: NowProps) {
  const last = figures.length - 1;
  const rate = (name: Parameters<typeof rateAt>[2]) => {
    const value = rateAt(figures, last, name);
    return value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 });
  };
  const hour = useHistory(spans[0]).data?.items ?? [];
  const delivered = hour.reduce((sum, each) => sum + each.delivered, 0);
  const ended = hour.reduce((sum, each) => sum + each.failed, delivered);
  const tone = newest.bottleneck === 'none' ? own['good'] : own['bad'];
  return (
    <>
      <ol className={own['flow']} aria-label={words.overview.flow}>
        <Stage title={words.overview.clients}>
          <Rate value={rate('messages')} unit={words.overview.messagesASecond} />
          <p className={css['soft']}>{words.overview.refused(rate('refused'))}</p>
          <p className={css['soft']}>
            {newest.p99Ms === null ? words.overview.noRequests : words.overview.p99(countText(newest.p99Ms))}
          </p>
        </Stage>
        <Stage title={words.overview.store} isSlow={newest.bottleneck === 'store' || newest.bottleneck === 'held'}>
          <Rate value={countText(newest.queued)} unit={words.overview.queued} />
          <p className={css['soft']}>{words.overview.commands(countText(newest.commands))}</p>
          <p className={css['soft']}>
            {newest.oldestQueuedAt !== null && (
              <>
                {words.overview.oldest} <Time at={newest.oldestQueuedAt} />
              </>
            )}
          </p>
        </Stage>
        <Stage
          title={words.overview.carriers}
          isSlow={['carriers', 'links', 'pace', 'window'].includes(newest.bottleneck)}
        >
          <Rate value={rate('sent')} unit={words.overview.partsASecond} />
          <p className={css['soft']}>{words.overview.links(newest.linksBound, newest.links)}</p>
          <p className={css['soft']}>{words.overview.window(newest.windowUsed, newest.windowMax)}</p>
        </Stage>
        <Stage title={words.overview.receipts}>
          <Rate value={rate('delivered')} unit={words.overview.deliveredASecond} />
          <p className={css['soft']}>
            {ended === 0 ? words.overview.noReceipts : words.overview.ratio(((delivered * 100) / ended).toFixed(1))}
          </p>
          <p className={css['soft']}>{words.overview.inbound(rate('inbound'))}</p>
        </Stage>
      </ol>
      <p className={classes(own['verdict'], tone)} role="status">
        {words.overview.bottleneck[newest.bottleneck]}
      </p>
      <dl className={css['figures']}>
        <OpenFigure label={words.decide.alarms} to="alarms" count={newest.openAlarms} />
        <OpenFigure label={words.decide.inDoubt} to="doubt" count={newest.inDoubt} />
        <OpenFigure label={words.decide.dead} to="dead" count={newest.deadLetters} />
        <OpenFigure label={words.decide.receipts} to="receipts" count={newest.unmatchedReceipts} />
        <Figure label={words.overview.charged}>
          {newest.charged.length === 0 && '0'}
          {newest.charged.map(({ currency, amount }) => (
            <div key={currency}>
              <Money amount={amount} currency={currency} />
            </div>
          ))}
        </Figure>
      </dl>
      <Card title={words.overview.live}>
        <Chart
          label={words.overview.live}
          from={newest.at - liveMs}
          to={newest.at}
          times={figures.map(({ at }) => at)}
          lines={[
            {
              label: words.overview.in,
              tone: 'accent',
              values: figures.map((_, index) => rateAt(figures, index, 'messages')),
            },
            {
              label: words.overview.out,
              tone: 'warn',
              values: figures.map((_, index) => rateAt(figures, index, 'sent')),
            },
            {
              label: words.overview.delivered,
              tone: 'good',
              values: figures.map((_, index) => rateAt(figures, index, 'delivered')),
            },
          ]}
        />
      </Card>
    </>
  );
}

interface StageProps {
  readonly title: string;
  readonly isSlow?: boolean;
  readonly children: ReactNode;
}

function Stage({ title, isSlow = false, children }: StageProps) {
  return (
    <li className={classes(own['stage'], isSlow && own['slow'])}>
      <h2>{title}</h2>
      {isSlow && <strong className={own['here']}>{words.overview.here}</strong>}
      {children}
    </li>
  );
}

function Rate({ value, unit }: { readonly value: string; readonly unit: string }) {
  return (
    <p className={own['rate']}>
      {value} <small>{unit}</small>
    </p>
  );
}

interface OpenFigureProps {
  readonly label: string;
  readonly to: string;
  readonly count: number;
}

function OpenFigure({ label, to, count }: OpenFigureProps) {
  return (
    <Figure
      label={
        <Link to="/decide" search={{ tab: to }}>
          {label}
        </Link>
      }
      isBad={count > 0}
    >
      {countText(count)}
    </Figure>
  );
}

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** The spans of the history. `limit` is the number of slots in one answer. */
const spans = [
  { name: '1h', span: 'minute', limit: 60, slotMs: minuteMs },
  { name: '24h', span: 'hour', limit: 24, slotMs: hourMs },
  { name: '7d', span: 'hour', limit: 168, slotMs: hourMs },
  { name: '30d', span: 'hour', limit: 720, slotMs: hourMs },
] as const;
const refetchMs = 30_000;
const noTraffic = { messages: 0, sent: 0, delivered: 0, failed: 0 };

function useHistory({ span, limit }: (typeof spans)[number]) {
  return useQuery({
    queryKey: [traffic.operations.history.path, span, limit],
    queryFn: () => valueOf(calls.traffic.history({ span, limit })),
    refetchInterval: refetchMs,
  });
}

function History() {
  const { range = '1h' } = useTexts();
  const wanted = spans.find(({ name }) => name === range) ?? spans[0];
  const found = useHistory(wanted);
  const to = Math.ceil(Date.now() / wanted.slotMs) * wanted.slotMs;
  const from = to - wanted.limit * wanted.slotMs;
  const slots = everySlot(found.data?.items ?? [], { from, to, stepMs: wanted.slotMs }, noTraffic);
  return (
    <Card
      title={words.overview.history}
      actions={
        <Choices
          label={words.overview.history}
          of="range"
          choices={spans.map(({ name }) => ({ name, label: words.range.names[name] }))}
          chosen={wanted.name}
        />
      }
    >
      {found.error && <Failure error={found.error} />}
      {found.data?.items.length === 0 && <Empty next={<GoTo page="messages" />}>{words.overview.noHistory}</Empty>}
      {found.data && found.data.items.length > 0 && (
        <Chart
          label={words.overview.history}
          from={from}
          to={to}
          times={slots.map(({ at }) => at)}
          lines={[
            { label: words.overview.in, tone: 'accent', values: slots.map(({ messages }) => messages) },
            { label: words.overview.out, tone: 'warn', values: slots.map(({ sent }) => sent) },
            { label: words.overview.delivered, tone: 'good', values: slots.map(({ delivered }) => delivered) },
            { label: words.overview.failed, tone: 'bad', values: slots.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Card>
  );
}
