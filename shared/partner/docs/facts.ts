import type { RetentionTerms } from '#shared/domain/leads/retention.ts';

/** The facts are not known when the documentation is packed. */
export interface Facts {
  /** The service's address with its stage's path, without a slash at its end. */
  readonly baseUrl: string;
  readonly supportEmail: string;
  /** In Portuguese. */
  readonly supportHours: string;
  /** The day, YYYY-MM-DD, until which a person who found a weakness can use the support's address (RFC 9116). */
  readonly contactUntil: string;
  /** The encarregado, the person in charge of personal data (LGPD, art. 41 § 1). */
  readonly officerName: string;
  readonly officerEmail: string;
  /** Page on which partners see the state of the service. Undefined if only `GET /health` shows the state. */
  readonly statusPage: string | undefined;
  /** Age in days above which a consent is refused in production. */
  readonly consentDays: string;
  /** Age in days above which a published rate makes no offer in production. */
  readonly rateDays: string;
  /** For how long a lead without use is kept. Undefined if no lead is deleted for lack of use. */
  readonly leadRetention: RetentionTerms | undefined;
  /** Fixed addresses that webhooks come from. Empty if webhooks may come from any address. */
  readonly webhookAddresses: readonly string[];
}

export const PLACEHOLDERS = {
  baseUrl: 'https://api.exemplo.com.br',
  statusPage: 'https://status.exemplo.com.br',
  supportEmail: 'suporte@exemplo.com.br',
  supportHours: 'HORARIO_DO_SUPORTE',
  contactUntil: 'CONTATO_ATE',
  officerName: 'NOME_DO_ENCARREGADO',
  officerEmail: 'encarregado@exemplo.com.br',
  consentDays: 'DIAS_DO_CONSENTIMENTO',
  rateDays: 'DIAS_DA_TAXA',
  leadRetention: 'PRAZO_DOS_LEADS',
  webhookAddresses: 'ENDERECOS_DE_SAIDA',
} as const;

/** Placeholder of the key in the guide's first block. It is the only text that a reader must replace there. */
export const KEY_PLACEHOLDER = 'pmc_sandbox_cole_aqui_a_sua_chave';

function addressSentence(addresses: readonly string[]): string {
  if (addresses.length === 0) {
    return 'Aqui os webhooks não saem de endereços fixos: não filtre por IP, e confie na assinatura.';
  }
  return `Os webhooks saem de ${addresses.join(' e ')}. Libere esses endereços se o seu firewall filtra, e confira a assinatura do mesmo jeito.`;
}

function retentionSentence(terms: RetentionTerms | undefined): string {
  if (!terms) return 'até a eliminação, a pedido do titular';
  const { sandboxDays, monthsWithoutAnalysis, yearsAfterAnalysis } = terms;
  return `até a eliminação, a pedido do titular, ou o fim do uso: no sandbox ${sandboxDays} dias depois do último; em produção ${monthsWithoutAnalysis} meses e, se houve análise, não antes de ${yearsAfterAnalysis} anos do fim da última`;
}

function replacements(facts: Facts): Readonly<Record<(typeof PLACEHOLDERS)[keyof Facts], string>> {
  return {
    [PLACEHOLDERS.baseUrl]: facts.baseUrl,
    [PLACEHOLDERS.statusPage]: facts.statusPage ?? `${facts.baseUrl}/health`,
    [PLACEHOLDERS.supportEmail]: facts.supportEmail,
    [PLACEHOLDERS.supportHours]: facts.supportHours,
    [PLACEHOLDERS.contactUntil]: facts.contactUntil,
    [PLACEHOLDERS.officerName]: facts.officerName,
    [PLACEHOLDERS.officerEmail]: facts.officerEmail,
    [PLACEHOLDERS.consentDays]: facts.consentDays,
    [PLACEHOLDERS.rateDays]: facts.rateDays,
    [PLACEHOLDERS.leadRetention]: retentionSentence(facts.leadRetention),
    [PLACEHOLDERS.webhookAddresses]: addressSentence(facts.webhookAddresses),
  };
}

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function written(fact: string, mediaType: string): string {
  if (mediaType.startsWith('text/html')) return escaped(fact);
  return mediaType.startsWith('application/json') ? JSON.stringify(fact).slice(1, -1) : fact;
}

export const hasPlaceholder = (text: string): boolean =>
  Object.values(PLACEHOLDERS).some((placeholder) => text.includes(placeholder));

/** Facts are escaped as the media type asks. */
export function withFacts(text: string, mediaType: string, facts: Facts): string {
  let filled = text;
  for (const [placeholder, words] of Object.entries(replacements(facts))) {
    filled = filled.replaceAll(placeholder, () => written(words, mediaType));
  }
  return filled;
}
