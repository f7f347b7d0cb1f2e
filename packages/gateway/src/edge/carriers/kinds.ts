/*
 * The kinds of carriers. A kind is a folder here, a declaration of its settings in `packages/api`
 * (`admin/routing/kinds`), and a line in each of the two lists below.
 */

import type { CarrierKindName, GivenSettings, KindSettings } from '@morsel/api/admin/routing/carrier-kinds.ts';
import type { Result } from '@morsel/api/values/result.ts';
import type { Rejection } from '../../core/base/rejection.ts';
import type { LinkOpener, LinkOpenerOf, LinkTools } from '../../flow/routing/carrier-link.ts';
import { SmppLinks } from './smpp/links.ts';
import { readSmppSettings } from './smpp/settings.ts';

/**
 * Reads the settings in a request, and checks what their declaration cannot check. `before` has the settings of the
 * carrier that the request changes.
 */
type ReadSettings<K extends CarrierKindName> = (
  given: object,
  before?: KindSettings<K>,
) => Result<GivenSettings<K>, Rejection>;

const readers: { readonly [K in CarrierKindName]: ReadSettings<K> } = { smpp: readSmppSettings };

export function settingsReader<K extends CarrierKindName>(kind: K): ReadSettings<K> {
  return readers[kind];
}

/** Opens links to carriers of every kind. */
export function linkOpener(tools: LinkTools): LinkOpener {
  const openers: { readonly [K in CarrierKindName]: LinkOpenerOf<K> } = { smpp: new SmppLinks(tools) };
  const openerOf = <K extends CarrierKindName>(kind: K): LinkOpenerOf<K> => openers[kind];
  return {
    open: (carrier, number, handlers) => openerOf(carrier().settings.kind).open(carrier, number, handlers),
    test: (carrier, needs) => openerOf(carrier.settings.kind).test(carrier, needs),
  };
}
