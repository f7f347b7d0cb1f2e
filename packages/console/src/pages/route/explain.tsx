/*
 * A picture of the way that a message would take now: the routes that were considered, and the carriers of the chosen
 * route.
 */

import { route } from '@morsel/api/admin/routing/route.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { printable } from '@morsel/api/fields/shown.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useTexts, useTyped } from '../../app/search.ts';
import { calls, valueOf } from '../../app/client.ts';
import { FieldInput } from '../../ui/form/inputs.tsx';
import type { Texts } from '../../ui/list.tsx';
import { Button, Card, classes, css, Failure, Note } from '../../ui/ui.tsx';
import { Money } from '../../ui/values.tsx';
import { words } from '../../words/words.ts';
import { Health, useCarriers } from '../carrier/health.tsx';
import own from './explain.module.css';

const { explain } = route.operations;

export function Explain() {
  const navigate = useNavigate();
  const search = useTexts();
  const names = Object.keys(explain.input);
  const given: Texts = Object.fromEntries(names.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const [texts, setTexts] = useTyped(given);
  const { account = '', receiver = '' } = given;
  const isAsked = account !== '' && receiver !== '';
  const found = useQuery({
    queryKey: [explain.path, given],
    queryFn: () => valueOf(calls.route.explain({ ...given, account, receiver })),
    enabled: isAsked,
    retry: false,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filled = Object.entries(texts).filter(([, text]) => text !== '');
    void navigate({ to: '.', search: { tab: 'explain', ...Object.fromEntries(filled) } });
  };
  return (
    <>
      <Card title={words.routes.explain}>
        <form className={css['stack']} onSubmit={submit}>
          <div className={css['formRow']}>
            {Object.entries(explain.input).map(([name, field]) => (
              <FieldInput
                key={name}
                name={name}
                field={field}
                text={texts[name] ?? ''}
                onText={(text) => setTexts({ ...texts, [name]: text })}
              />
            ))}
          </div>
          <div>
            <Button type="submit" kind="primary">
              {words.routes.explain}
            </Button>
          </div>
        </form>
      </Card>
      {found.error && <Failure error={found.error} />}
      {found.data && <Picture found={found.data} />}
    </>
  );
}

function Picture({ found }: { readonly found: AnswerOf<typeof explain> }) {
  const present = useCarriers();
  const { routes, carriers, chosen, refusal, unitPrice, currency, numParts, encoding, receiver, account } = found;
  return (
    <div className={css['stack']}>
      {refusal && (
        <Note tone="bad">
          {refusal.code}: {printable(refusal.detail)}
        </Note>
      )}
      <ol className={own['way']}>
        <li className={own['stop']}>
          <h3>{words.routes.message}</h3>
          <p>
            {account} → {printable(receiver)}
          </p>
          <p className={css['soft']}>
            {encoding}, {words.routes.parts(numParts)}
            {unitPrice !== null && (
              <>
                , <Money amount={unitPrice} currency={currency} />
              </>
            )}
          </p>
        </li>
        <li className={own['stop']}>
          <h3>{words.routes.considered}</h3>
          {routes.length === 0 && <p>{words.routes.none}</p>}
          {routes.map((each, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- the order of precedence is what tells them apart
            <div key={at} className={classes(own['box'], at === 0 && found.route !== null && own['chosen'])}>
              <strong>{each.prefix === '' ? words.routes.every : `+${each.prefix}`}</strong>
              {[each.sender, each.account, each.encoding]
                .filter(Boolean)
                .map((condition) => ` ${printable(condition ?? '')}`)}
              <p className={css['soft']}>{each.verdict}</p>
            </div>
          ))}
        </li>
        <li className={own['stop']}>
          <h3>{words.pages.carriers}</h3>
          {carriers.length === 0 && <p>{words.none}</p>}
          {carriers.map((each) => (
            <div key={each.carrier} className={classes(own['box'], each.carrier === chosen && own['chosen'])}>
              <Link to="/carriers/$name" params={{ name: each.carrier }}>
                {each.carrier}
              </Link>{' '}
              {present
                .filter(({ name }) => name === each.carrier)
                .map((row) => (
                  <Health key={row.name} row={row} />
                ))}
              <p className={css['soft']}>
                {words.routes.rank(each.rank, each.weight)}
                {each.cost !== null && (
                  <>
                    , {words.routes.cost} <Money amount={each.cost} currency={each.costCurrency ?? ''} />
                  </>
                )}
                {each.margin !== null && (
                  <>
                    , {words.routes.margin} <Money amount={each.margin} currency={currency} />
                  </>
                )}
              </p>
              <p>{each.why}</p>
            </div>
          ))}
        </li>
      </ol>
    </div>
  );
}
