/* How a carrier answers: the mix of outcomes, and the time until its receipts. */

import { outcomeFields, receiptTimeFields, traffic } from '@morsel/api/admin/running/traffic.ts';
import { useQuery } from '@tanstack/react-query';
import { calls, valueOf } from '../../app/client.ts';
import { CsvButton } from '../../ui/csv.tsx';
import { Rows } from '../../ui/list.tsx';
import { Card, css, Empty, Failure } from '../../ui/ui.tsx';
import { useWords } from '../../words/words.ts';

const { answers } = traffic.operations;
const refetchMs = 5_000;

export function CarrierAnswers({ name }: { readonly name: string }) {
  const words = useWords();
  const found = useQuery({
    queryKey: [answers.path, name],
    queryFn: () => valueOf(calls.traffic.answers({ carrier: name })),
    refetchInterval: refetchMs,
  });
  if (found.error) return <Failure error={found.error} />;
  if (!found.data) return <Empty>{words.loading}</Empty>;
  const outcomes = found.data.outcomes.map((each) => ({ ...each }));
  const times = found.data.receiptTimes.map((each) => ({ ...each }));
  return (
    <>
      <p className={css['soft']}>{words.carrier.answersAbout}</p>
      <div className={css['columns']}>
        <Card
          title={words.carrier.outcomes}
          isFlush
          actions={<CsvButton name={`outcomes-${name}`} answer={outcomeFields} rows={() => outcomes} />}
        >
          {outcomes.length === 0 ? (
            <Empty>{words.nothingYet}</Empty>
          ) : (
            <Rows answer={outcomeFields} columns={Object.keys(outcomeFields)} rows={outcomes} />
          )}
        </Card>
        <Card title={words.carrier.receiptTimes} isFlush>
          {times.length === 0 ? (
            <Empty>{words.carrier.noReceiptTimes}</Empty>
          ) : (
            <Rows answer={receiptTimeFields} columns={Object.keys(receiptTimeFields)} rows={times} />
          )}
        </Card>
      </div>
    </>
  );
}
