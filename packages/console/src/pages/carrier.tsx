/* One carrier: the state of its links, what the gateway learned of it, and its settings. */

import { carrier, linkFields } from '@morsel/api/admin/routing/carrier.ts';
import { message } from '@morsel/api/admin/message/message.ts';
import { receipt } from '@morsel/api/admin/message/receipt.ts';
import type { AnswerOf } from '@morsel/api/admin/resource.ts';
import { traffic } from '@morsel/api/admin/running/traffic.ts';
import { Act } from '../ui/action.tsx';
import type { Row } from '../ui/list/rows.tsx';
import { Detail, type Part } from '../ui/resource.tsx';
import { RowsCard } from '../ui/rows-card.tsx';
import { css, Note } from '../ui/ui.tsx';
import { words } from '../words/words.ts';
import { healthCell } from './carrier/health.tsx';
import { CarrierHistory } from './carrier/history.tsx';
import { messageCells, receiptCells } from './cells.tsx';
import { InDoubt } from './decide/in-doubt.tsx';

type Shown = AnswerOf<typeof carrier.operations.show>;
const [detailMs, listMs] = [1_000, 5_000];
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
  return (
    <Detail
      of={carrier}
      back="/carriers"
      figures={['status', 'waiting', 'inDoubtParts', 'unmatchedReceipts']}
      cells={{ status: healthCell }}
      except={({ waiting, links }) => ({
        pause: { warning: words.carrier.pauseWarns(waiting), kind: 'danger' },
        drain: { warning: words.carrier.drainWarns(waiting), kind: 'danger' },
        rebind: { warning: words.carrier.rebindWarns(links) },
      })}
      refetchMs={detailMs}
      content={(row) => <Links row={row} />}
      parts={partsOf}
    />
  );
}

function Links({ row: { name, linkStates } }: { readonly row: Shown }) {
  return (
    <RowsCard
      title={words.carrier.links}
      file={`links-${name}`}
      answer={linkFields}
      columns={[...linkColumns, ...linkTrouble]}
      rows={linkStates.map(presentErrors)}
      actions={({ link }) => <Act of={carrier} verb="rebind" fixed={{ carrier: name, link }} />}
      whenEmpty={words.carrier.noLinks}
    />
  );
}

/** The row of a link, without its last error if the link is bound again. */
function presentErrors(link: Row): Row {
  return link['downSince'] === null ? { ...link, lastError: null, lastErrorAt: null } : link;
}

function partsOf(name: string): Readonly<Record<string, Part>> {
  const month = new Date().toISOString().slice(0, 7);
  return {
    history: { of: traffic, verb: 'ofCarrier', content: () => <CarrierHistory name={name} /> },
    answers: { of: traffic, verb: 'answers', refetchMs: listMs },
    learned: { of: carrier, verb: 'learned', cells: messageCells },
    settings: { of: carrier, verb: 'show', without: ['linkStates'] },
    doubt: { of: message, verb: 'inDoubt', content: () => <InDoubt carrier={name} /> },
    receipts: { of: receipt, verb: 'unmatched', cells: receiptCells, refetchMs: listMs },
    cost: { of: carrier, verb: 'cost', usual: { from: `${month}-01` }, above: withoutCost },
  };
}

/** Says how many parts have no cost, if the carrier has no cost list. */
function withoutCost(row: Row) {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the client has read it by the declaration
  const { carrier: name, costList, costs } = row as unknown as AnswerOf<typeof carrier.operations.cost>;
  const parts = costs.filter(({ unitCost }) => unitCost === null).reduce((sum, each) => sum + each.parts, 0);
  if (costList !== null || parts === 0) return null;
  return (
    <Note>
      <div className={css['row']}>
        {words.carrier.withoutCost(parts)}
        <Act
          of={carrier}
          verb="set"
          label={words.carrier.chooseCostList}
          fixed={{ carrier: name }}
          first={['costList']}
        />
      </div>
    </Note>
  );
}
