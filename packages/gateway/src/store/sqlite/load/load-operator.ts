import type { Command } from '../../commands.ts';
import type { Needs } from '../../rows/needs.ts';
import type { Statements } from '../statements.ts';
import { loadPriceList, loadPrices } from './load-prices.ts';

/** Loads what an operator's command names, each row by its name. */
export function loadOperatorRows(need: Needs, command: Command, statements: Statements): void {
  const { rows } = need;
  switch (command.kind) {
    case 'add-account':
      loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'set-account':
      if (command.priceList !== undefined) loadPriceList(rows, command.priceList, { at: command.at, statements });
      return;
    case 'add-carrier':
    case 'set-carrier':
      if (typeof command.costList === 'string') loadPriceList(rows, command.costList, { at: command.at, statements });
      return;
    case 'set-prices':
    case 'begin-price-import':
    case 'stage-prices':
    case 'publish-prices':
    case 'sweep-prices':
    case 'withdraw-prices':
    case 'set-price-base':
    case 'remove-price-list':
      loadPrices(rows, command, statements);
      return;
    default:
  }
}
