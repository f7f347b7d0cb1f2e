/* How a carrier answers: the mix of outcomes, and the time until its receipts. */

import { outcomeFields, receiptTimeFields, traffic } from '@morsel/api/admin/running/traffic.ts';
import { useQuery } from '@tanstack/react-query';
import { calls, valueOf } from '../../app/client.ts';
import { RowsCard } from '../../ui/rows-card.tsx';
import { css, Empty, Failure } from '../../ui/ui.tsx';
import { words } from '../../words/words.ts';

const { answers } = traffic.operations;
const refetchMs = 5_000;

export function CarrierAnswers({ name }: { readonly name: string }) {
  const found = useQuery({
    queryKey: [answers.path, name],
    queryFn: () => valueOf(calls.traffic.answers({ carrier: name })),
    refetchInterval: refetchMs,
  });
  if (found.error) return <Failure error={found.error} />;
  if (!found.data) return <Empty>{words.loading}</Empty>;
  const { outcomes, receiptTimes } = found.data;
  return (
    <>
      <p className={css['soft']}>{words.carrier.answersAbout}</p>
      <div className={css['columns']}>
        <RowsCard title={words.carrier.outcomes} file={`outcomes-${name}`} answer={outcomeFields} rows={outcomes} />
        <RowsCard
          title={words.carrier.receiptTimes}
          file={`receipt-times-${name}`}
          answer={receiptTimeFields}
          rows={receiptTimes}
          whenEmpty={words.carrier.noReceiptTimes}
        />
      </div>
    </>
  );
}
