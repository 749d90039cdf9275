import type { SentBody } from '#shared/administration/operations.ts';
import { type KeyStart, type NamedStart, readKeyStart } from '#shared/domain/partners/key-start.ts';

/** The screen that the fragment of the address names. The fragment never contains a CPF. */
export type Place =
  | { readonly screen: 'partners' }
  | {
      readonly screen: 'partner';
      readonly partnerId: number;
      readonly tab: PartnerTab;
      /** The start of a key, if only the keys that begin like this are shown. */
      readonly keyStart?: NamedStart;
    }
  | { readonly screen: 'key-calls'; readonly named: NamedKey }
  | { readonly screen: 'deliveries' }
  | { readonly screen: 'delivery'; readonly eventId: string }
  | { readonly screen: 'failing-webhooks' }
  | { readonly screen: 'people'; readonly person?: PersonPlace }
  | { readonly screen: 'analyses' }
  | { readonly screen: 'bank-rates' }
  | { readonly screen: 'approvals' }
  | { readonly screen: 'audit' }
  | { readonly screen: 'help'; readonly section: string | undefined }
  | { readonly screen: 'nowhere' };

/** A key, named by the part that lists show. */
export type NamedKey = Extract<KeyStart, { readonly kind: 'key' }>;

/** Place of a person, by our own numbers. For a spouse, `lead_id` is the lead of the holder whose forms name them. */
export type PersonPlace = Required<Omit<SentBody<'erase-lead'>, 'cpf'>>;

export const PARTNER_TABS = [
  ['resumo', 'Resumo'],
  ['validacao', 'Validação'],
  ['unidades', 'Unidades'],
  ['chaves', 'Chaves'],
  ['webhook', 'Webhook'],
  ['entregas', 'Entregas'],
  ['analises', 'Análises'],
  ['recusas', 'Chamadas recusadas'],
  ['auditoria', 'Auditoria'],
] as const;
export type PartnerTab = (typeof PARTNER_TABS)[number][0];

const isTab = (name: string): name is PartnerTab => PARTNER_TABS.some(([tab]) => tab === name);

export function placeOf(hash: string): Place {
  const [first = '', second, third = 'resumo', ...rest] = hash.replace(/^#?\/?/, '').split('/');
  if (first === 'pessoas' && second !== undefined) return personIn([second, third, ...rest]);
  if (first === 'parceiros' && third === 'chaves' && rest.length > 0) return keysIn(second, rest);
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
    case 'webhooks-com-falha':
      return { screen: 'failing-webhooks' };
    case 'pessoas':
      return { screen: 'people' };
    case 'analises':
      return { screen: 'analyses' };
    case 'taxas':
      return { screen: 'bank-rates' };
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

/** Returns the screen for a partner, the start of a key, and perhaps `chamadas`. */
function keysIn(partner: string | undefined, [start = '', ...rest]: readonly string[]): Place {
  const keyStart = readKeyStart(start);
  if (keyStart.kind !== 'partner' && keyStart.kind !== 'key') return { screen: 'nowhere' };
  // In a valid address the key has no secret part and belongs to the partner.
  const isOwn = String(keyStart.partnerId) === partner && keyStart.start === start;
  if (!isOwn) return { screen: 'nowhere' };
  const [part, ...further] = rest;
  if (part === undefined) return { screen: 'partner', partnerId: keyStart.partnerId, tab: 'chaves', keyStart };
  const areCalls = part === 'chamadas' && further.length === 0 && keyStart.kind === 'key';
  return areCalls ? { screen: 'key-calls', named: keyStart } : { screen: 'nowhere' };
}

const ROLES = new Map<string | undefined, PersonPlace['role']>([
  ['titular', 'holder'],
  ['conjuge', 'spouse'],
]);

const isId = (id: number) => Number.isSafeInteger(id) && id > 0;

function personIn([partner, unit, environment, lead, roleText, ...rest]: readonly string[]): Place {
  const [partner_id, unit_id, lead_id] = [Number(partner), Number(unit), Number(lead)];
  const role = ROLES.get(roleText);
  const known = isId(partner_id) && isId(unit_id) && isId(lead_id) && role !== undefined;
  const where = environment === 'producao' || environment === 'sandbox';
  if (!known || !where || rest.length > 0) return { screen: 'nowhere' };
  return { screen: 'people', person: { partner_id, unit_id, environment, lead_id, role } };
}

export const personHref = ({ partner_id, unit_id, environment, lead_id, role }: PersonPlace): string =>
  `#/pessoas/${partner_id}/${unit_id}/${environment}/${lead_id}/${role === 'spouse' ? 'conjuge' : 'titular'}`;

export const partnerHref = (partnerId: number, tab: PartnerTab = 'resumo'): string =>
  tab === 'resumo' ? `#/parceiros/${partnerId}` : `#/parceiros/${partnerId}/${tab}`;

export const keyStartHref = ({ partnerId, start }: Pick<NamedStart, 'partnerId' | 'start'>): string =>
  `${partnerHref(partnerId, 'chaves')}/${start}`;

export const keyCallsHref = (named: Pick<NamedStart, 'partnerId' | 'start'>): string =>
  `${keyStartHref(named)}/chamadas`;

export const deliveryHref = (eventId: string): string => `#/entregas/${eventId}`;
