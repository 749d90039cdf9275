/** Where in the panel one is, from the fragment of the address. No person's number ever stands in it. */
export type Place =
  | { readonly screen: 'partners' }
  | { readonly screen: 'partner'; readonly partnerId: number; readonly tab: PartnerTab }
  | { readonly screen: 'deliveries' }
  | { readonly screen: 'delivery'; readonly eventId: string }
  | { readonly screen: 'dead-letters' }
  | { readonly screen: 'people' }
  | { readonly screen: 'analyses' }
  | { readonly screen: 'audit' }
  | { readonly screen: 'help'; readonly section: string | undefined }
  | { readonly screen: 'nowhere' };

/** The parts of a partner's page, by the word in the address. */
export const PARTNER_TABS = {
  resumo: 'Resumo',
  validacao: 'Validação',
  unidades: 'Unidades',
  chaves: 'Chaves',
  webhook: 'Webhook',
  entregas: 'Entregas',
  auditoria: 'Auditoria',
} as const;
export type PartnerTab = keyof typeof PARTNER_TABS;

const isTab = (name: string): name is PartnerTab => Object.hasOwn(PARTNER_TABS, name);

/** Reads `#/parceiros/123/chaves` and its like. */
export function placeOf(hash: string): Place {
  const [first = '', second, third = 'resumo', ...rest] = hash.replace(/^#?\/?/, '').split('/');
  if (rest.length > 0) return { screen: 'nowhere' };
  switch (first) {
    case '':
    case 'parceiros': {
      if (second === undefined) return { screen: 'partners' };
      const partnerId = Number(second);
      return Number.isSafeInteger(partnerId) && partnerId > 0 && isTab(third)
        ? { screen: 'partner', partnerId, tab: third }
        : { screen: 'nowhere' };
    }
    case 'entregas':
      return second === undefined ? { screen: 'deliveries' } : { screen: 'delivery', eventId: second };
    case 'mortas':
      return { screen: 'dead-letters' };
    case 'pessoas':
      return { screen: 'people' };
    case 'analises':
      return { screen: 'analyses' };
    case 'auditoria':
      return { screen: 'audit' };
    case 'ajuda':
      return { screen: 'help', section: second };
    default:
      return { screen: 'nowhere' };
  }
}

/** The address of a partner's page. */
export function partnerHref(partnerId: number, tab: PartnerTab = 'resumo'): string {
  return tab === 'resumo' ? `#/parceiros/${partnerId}` : `#/parceiros/${partnerId}/${tab}`;
}

/** The address of a delivery. */
export function deliveryHref(eventId: string): string {
  return `#/entregas/${eventId}`;
}
