import type { SentBody } from '#shared/administration/operations.ts';

/** Where in the panel one is, from the fragment of the address. No person's number ever stands in it. */
export type Place =
  | { readonly screen: 'partners' }
  | { readonly screen: 'partner'; readonly partnerId: number; readonly tab: PartnerTab }
  | { readonly screen: 'deliveries' }
  | { readonly screen: 'delivery'; readonly eventId: string }
  | { readonly screen: 'people'; readonly person?: PersonPlace }
  | { readonly screen: 'analyses' }
  | { readonly screen: 'approvals' }
  | { readonly screen: 'audit' }
  | { readonly screen: 'help'; readonly section: string | undefined }
  | { readonly screen: 'nowhere' };

/** Where a person is known, by our own numbers: the lead's, or that of the holder whose forms name them as the spouse. */
export type PersonPlace = Required<Omit<SentBody<'export-lead'>, 'cpf' | 'raw'>>;

/** The parts of a partner's page, by the word in the address. */
export const PARTNER_TABS = [
  ['resumo', 'Resumo'],
  ['validacao', 'Validação'],
  ['unidades', 'Unidades'],
  ['chaves', 'Chaves'],
  ['webhook', 'Webhook'],
  ['entregas', 'Entregas'],
  ['auditoria', 'Auditoria'],
] as const;
export type PartnerTab = (typeof PARTNER_TABS)[number][0];

const isTab = (name: string): name is PartnerTab => PARTNER_TABS.some(([tab]) => tab === name);

/** Reads `#/parceiros/123/chaves` and its like. */
export function placeOf(hash: string): Place {
  const [first = '', second, third = 'resumo', ...rest] = hash.replace(/^#?\/?/, '').split('/');
  if (first === 'pessoas' && second !== undefined) return personIn([second, third, ...rest]);
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
    case 'pessoas':
      return { screen: 'people' };
    case 'analises':
      return { screen: 'analyses' };
    case 'aprovacoes':
      return { screen: 'approvals' };
    case 'auditoria':
      return { screen: 'audit' };
    case 'ajuda':
      return { screen: 'help', section: second };
    default:
      return { screen: 'nowhere' };
  }
}

const ROLES = new Map<string | undefined, PersonPlace['role']>([
  ['titular', 'holder'],
  ['conjuge', 'spouse'],
]);

const isId = (id: number) => Number.isSafeInteger(id) && id > 0;

/** The place that the parts after `#/pessoas/` name: partner, unit, environment, lead and role. */
function personIn([partner, unit, environment, lead, roleText, ...rest]: readonly string[]): Place {
  const [partner_id, unit_id, lead_id] = [Number(partner), Number(unit), Number(lead)];
  const role = ROLES.get(roleText);
  const known = isId(partner_id) && isId(unit_id) && isId(lead_id) && role !== undefined;
  const where = environment === 'producao' || environment === 'sandbox';
  if (!known || !where || rest.length > 0) return { screen: 'nowhere' };
  return { screen: 'people', person: { partner_id, unit_id, environment, lead_id, role } };
}

/** The address of a person in one unit. */
export const personHref = ({ partner_id, unit_id, environment, lead_id, role }: PersonPlace): string =>
  `#/pessoas/${partner_id}/${unit_id}/${environment}/${lead_id}/${role === 'spouse' ? 'conjuge' : 'titular'}`;

/** The address of a partner's page. */
export const partnerHref = (partnerId: number, tab: PartnerTab = 'resumo'): string =>
  tab === 'resumo' ? `#/parceiros/${partnerId}` : `#/parceiros/${partnerId}/${tab}`;

/** The address of a delivery. */
export const deliveryHref = (eventId: string): string => `#/entregas/${eventId}`;
