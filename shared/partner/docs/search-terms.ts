// How a word becomes what the index holds and queries ask for. Portuguese in half a page: a full stemmer would be ten
// times as long and, over a guide of this size, finds no page more.

/** Words that say nothing of what is looked for. */
const STOP = new Set(
  'a o as os um uma de do da dos das em no na nos nas por pela pelo para pra com e ou que se ao aos qual quais como onde quando quanto e eu me meu minha seu sua ha faz faco fazer posso pode the how to is of'.split(
    ' ',
  ),
);

/** Endings of verbs and of the nouns made from them: `autenticar`, `autenticação`, `deprecated`. Longest first. */
const ENDING = /(?:[aei]coes|[aei]cao|adores|ador|ation|ated|ando|endo|indo|ad[ao]|id[ao]|ar|er|ir|a|e|o)$/;
/** A shorter rest would stand for unrelated words. */
const LEAST = 3;

/** A word without accents, capitals, plural and ending; null for a word that says nothing. */
export function termOf(word: string): string | null {
  const folded = word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  if (STOP.has(folded)) return null;
  // A number or a short name is meant as it is written.
  if (folded.length <= LEAST || /\d/.test(folded)) return folded;
  const singular = folded.endsWith('coes') ? folded : folded.replace(/s$/, '');
  const stem = singular.replace(ENDING, '');
  return stem.length >= LEAST ? stem : singular;
}

/** Words that partners use for the same thing; the first of a group is the guide's own. */
const SYNONYMS: readonly string[] = [
  'chave token credencial apikey senha secret',
  'autenticacao login oauth jwt bearer autorizacao auth',
  'sdk biblioteca library lib',
  'openapi swagger especificacao spec schema',
  'consulta polling',
  'webhook callback notificacao hook postback',
  'espera timeout demora',
  'pagina paginacao offset limit cursor',
  'sandbox homologacao teste hml staging',
  'producao prod production live',
  'novidades changelog release',
  'tls ssl certificado mtls cipher',
  'ips ip whitelist allowlist firewall',
  'sla disponibilidade uptime status indisponivel',
  'suporte contato email atendimento telefone ajuda help',
  'boletos boleto pagamento',
  'prestacao parcela amortizacao instalment',
  'documentos upload anexo holerite arquivo',
  'cancelar desistir estornar cancelamento',
  'limite rate quota throttling cota 429',
  'repetir retry retentativa reenviar tentativa backoff',
  'conjuge esposa marido casado casal uniao',
  'consentimento lgpd privacidade aceite',
  'eliminacao apagar excluir deletar exclusao delete',
  'assinatura hmac sha256 signature verificar',
  'desfecho resultado decisao retorno',
  'versao versionamento v2 deprecation breaking',
  'caixa cef',
  'erro error falha exception',
  'codigo code',
  'taxa juros cet interest rate',
  'exemplo amostra sample curl',
  'url endereco endpoint host',
];

const byTerm = new Map<string, ReadonlySet<string>>();
for (const group of SYNONYMS) {
  const terms = group.split(' ').flatMap((word) => termOf(word) ?? []);
  for (const term of terms) byTerm.set(term, new Set([...(byTerm.get(term) ?? []), ...terms]));
}

/** Other terms for the same thing; none for a term without any. */
export const synonymsOf = (term: string): readonly string[] =>
  [...(byTerm.get(term) ?? [])].filter((other) => other !== term);
