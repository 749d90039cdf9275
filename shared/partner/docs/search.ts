import MiniSearch from 'minisearch';
import { PAGES, type PageName } from './contents.ts';
import { type Hit, SEARCH } from './find.ts';
import type { Section } from './markdown.ts';

/**
 * Words by which people look for a section and which it does not contain, by its address. A word of its own text is not
 * needed here, nor a synonym of search-terms.ts.
 */
const SEARCH_WORDS: Readonly<Record<string, string>> = {
  'inicio#autenticacao':
    'token bearer x-api-key authentication authorization header unauthorized cabeçalho expirado vencida inválida access denied',
  'inicio#arquivos': 'sdk download baixar postman insomnia collection coleção typescript python',
  'inicio#1-diga-quem-voce-e': 'base url hello world getting started',
  'inicio#como-a-api-fala':
    'formato json utf-8 encoding moeda decimal bigint int64 precisão number precision float double',
  fluxo: 'quickstart tutorial passo a passo getting started',
  linguagens:
    'golang go kotlin ruby rails rust node nodejs nestjs nextjs django flask fastapi spring boot laravel symfony express fastify asp.net c# dart delphi pascal elixir scala swift perl powershell visual basic composer gem gradle cargo yarn pnpm poetry axios guzzle httpx requests okhttp retrofit flutter',
  'fluxo#3-veja-o-registro-as-parcelas-e-o-pdf': 'baixar pdf proposta imprimir tabela price sac cronograma',
  'calculo#as-regras':
    'habitacional fgts segundo proponente dois composição de renda mip dfi itbi iof sac price ltv loan to value casa verde e amarela mcmv programa',
  sandbox: 'homologação homolog staging testar fictício',
  'sandbox#o-cpf-decide-o-desfecho': 'cpf fake massa de dados mock simular aprovado reprovado',
  'acompanhamento#webhook': 'eventos duplicado repetido fora de ordem exactly at least once',
  'webhooks#as-duas-assinaturas': 'validar hmac sha256 signature svix segurança inválida',
  'erros#os-enganos-mais-comuns': 'validação inválido formato documento',
  'erros#todos-os-codigos':
    'lista tabela http status 4xx 5xx bad request unauthorized forbidden not found conflict unprocessable entity unsupported media type internal server unavailable gateway',
  idempotencia: 'idempotency-key repetir chamada post repetição duas vezes iguais clique duplo double submit idênticas',
  'limites#quando-o-limite-acaba': '429 too many requests requisições excedidas bloqueio',
  'rede#suporte-e-contato':
    'contato telefone e-mail horário atendimento chamado ticket fale conosco ajuda vazamento exposta',
  'rede#estado-do-servico-e-sla': 'fora do ar queda incidente manutenção monitoramento health check',
  producao: 'checklist homologar go live virar virada lançar lançamento migrar deploy',
  'update-lead': 'editar telefone e-mail observação',
  'get-account': 'whoami quem sou eu permissões',
  'simulacao#comparar-ofertas': 'melhor menor parcela barato cheapest',
  'perguntas#quanto-demora-o-desfecho': 'pendente parada andamento aguardando status não atualiza atualizou',
  versoes: 'version da api compatibilidade backward compatible o que mudou mudanças',
  'perguntas#posso-chamar-do-navegador-ou-do-aplicativo': 'cors error cross origin mobile android ios flutter react',
  'acompanhamento#quando-o-seu-receptor-nao-responde':
    'política de retry tentativas exponential dead letter 301 302 307 308 redirect connection refused reset conexão caiu',
  consentimento: 'opt-in optin base legal finalidade controlador operador',
  'erros#como-repetir': 'tentar de novo novamente outra vez',
  'inicio#o-gestor': 'gerente de conta account manager comercial',
  'consentimento#direitos-do-titular': 'dpo encarregado',
  acompanhamento: 'fila queue assíncrono',
  'perguntas#posso-enviar-documentos-upload-de-rg-holerite':
    'comprovante de renda residência identidade cnh imposto certidão',
  'perguntas#aprovado-e-a-carta-de-credito': 'débito automático contrato escritura cartório',
  'perguntas#a-simulacao-consulta-o-cpf-no-serasa-ou-no-banco': 'nome sujo limpo restrição negativado dívida',
  'limites#listas-e-paginas': 'ordem crescente decrescente sort total de registros count',
};

/** The guide explains; the reference lists, and its sections name every field. */
const WEIGHT = { section: 1, row: 0.6, operation: 0.6, part: 0.1 } as const;
/** Its rows are looked for by their names. */
const ERRORS: PageName = 'erros';

function weightOf(page: string, level: number): number {
  if (!PAGES.includes(page as PageName)) return level === 1 ? WEIGHT.operation : WEIGHT.part;
  return level === 4 && page !== ERRORS ? WEIGHT.row : WEIGHT.section;
}

/** Sections as the search finds them. A field of the reference is found by the part of its page that holds it. */
function hitsOf(page: string, sections: readonly Section[]): Hit[] {
  return sections.map(({ id, title, level, text }): Hit => {
    const address = id ? `${page}#${id}` : page;
    const words = SEARCH_WORDS[address] ?? '';
    return { address, title, page: sections[0]!.title, words, text, weight: weightOf(page, level) };
  });
}

/** The search's index as JSON, of pages by name. Throws where words are listed for a section that is not there. */
export function searchIndex(pages: Readonly<Record<string, readonly Section[]>>): string {
  const hits = Object.entries(pages).flatMap(([page, sections]) => hitsOf(page, sections));
  const addresses = new Set(hits.map(({ address }) => address));
  const lost = Object.keys(SEARCH_WORDS).filter((address) => !addresses.has(address));
  if (lost.length > 0) throw new Error(`search words for sections that are not there: ${lost.join(', ')}`);
  const index = new MiniSearch<Hit>(SEARCH);
  index.addAll(hits);
  return JSON.stringify(index);
}
