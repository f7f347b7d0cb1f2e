/* Price lists: their prices and versions, imports, and the price of any number. */

import { price, versionFields } from '@morsel/api/admin/money/price.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useName } from '../app/search.ts';
import { calls, valueOf } from '../app/client.ts';
import { Act } from '../ui/action.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { Head } from '../ui/page/head.tsx';
import { TextInput } from '../ui/form/inputs.tsx';
import { ListOf, Parts } from '../ui/resource.tsx';
import { Card, css, Failure, Loading } from '../ui/ui.tsx';
import { Money, Time } from '../ui/values.tsx';
import { forRoles } from '../ui/page/way-on.tsx';
import { words } from '../words/words.ts';
import { nameCell } from './cells.tsx';
import { ImportButton } from './price/import.tsx';

export const Prices = forRoles(price.operations.list, () => {
  return (
    <>
      <Head title={words.pages.prices} about={words.prices.about} actions={<ImportButton />} />
      <ListOf
        of={price}
        title=""
        acts={[]}
        cells={{ list: nameCell('/prices/$name', 'list') }}
        whenEmpty={words.prices.empty}
        next={<ImportButton />}
      />
    </>
  );
});

export const PriceList = forRoles(price.operations.show, () => {
  const name = useName();
  const fixed = { list: name };
  return (
    <>
      <Head
        title={words.prices.title(name)}
        actions={
          <>
            <ImportButton list={name} />
            <Act of={price} verb="base" fixed={fixed} />
            <Act of={price} verb="remove" fixed={fixed} />
          </>
        }
      />
      <div className={css['stack']}>
        <Tester list={name} />
        <Parts
          fixed={fixed}
          parts={{
            prices: { of: price, verb: 'show' },
            versions: { of: price, verb: 'versions', content: () => <Versions list={name} /> },
          }}
        />
      </div>
    </>
  );
});

const { show, versions } = price.operations;

/** Shows the price of any number: the price of the longest matching prefix. */
function Tester({ list: of }: { readonly list: string }) {
  const [number, setNumber] = useState('');
  const digits = number.replaceAll(/\D/g, '');
  const found = useQuery({
    queryKey: [show.path, of, 'test', digits],
    queryFn: () => valueOf(calls.price.show({ list: of, prefix: digits, limit: 1 })),
    enabled: digits !== '',
    retry: false,
  });
  const [hit] = found.data?.items ?? [];
  const isHit = hit && digits.startsWith(hit.prefix);
  return (
    <Card title={words.prices.tester}>
      <div className={css['formRow']}>
        <TextInput label={words.prices.number} text={number} onText={setNumber} placeholder="+41791112233" />
        <output className={css['grow']}>
          {found.error && <Failure error={found.error} />}
          {digits !== '' && found.data && !isHit && words.prices.noPrice}
          {isHit && (
            <>
              <strong>
                <Money amount={hit.price} currency={hit.currency} />
              </strong>{' '}
              {words.prices.by(hit.prefix, hit.list, hit.version)}
            </>
          )}
        </output>
      </div>
    </Card>
  );
}

function Versions({ list: of }: { readonly list: string }) {
  const found = useQuery({ queryKey: [versions.path, of], queryFn: () => valueOf(calls.price.versions({ list: of })) });
  if (found.error) return <Failure error={found.error} />;
  if (!found.data) return <Loading />;
  const { newest, bases } = found.data;
  return (
    <>
      <RowsCard
        title={words.prices.versions}
        file={`versions-${of}`}
        answer={versionFields}
        rows={found.data.versions.toReversed()}
        actions={({ version }) =>
          version === newest && <Act of={price} verb="withdraw" fixed={{ list: of, version }} hasResult={false} />
        }
      />
      {bases.length > 0 && (
        <Card title={words.prices.bases}>
          <ul className={css['plain']}>
            {bases.map(({ base: below, since }) => (
              <li key={since}>
                {below ?? words.none} – <Time at={since} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
