import type { Route } from '#shared/contract/routes.ts';
import { BANKS } from '#shared/domain/values/bank.ts';
import { type ForcedOutcome, formatCpf, OUTCOME_AFTER, parseCpf, TEST_CPFS } from '#shared/domain/values/cpf.ts';
import { LARGEST_BODY } from '#shared/domain/values/failure.ts';
import { seconds } from '#shared/domain/values/time.ts';

const OUTCOME_WORDS: Readonly<Partial<Record<ForcedOutcome, string>>> = {
  erro: 'erro ao processar',
  pendente: 'continua em_analise',
  aprovado_5min: 'aprovado depois de 5 minutos',
  entrega_falha: 'a entrega ao banco falha (sucesso false)',
  webhook_falha: 'aprovado; a primeira tentativa do webhook falha de propósito',
  nao_enviada: 'continua em_analise, não enviada; uma revogação a cancela',
};

export const SANDBOX_CPFS = Object.entries(TEST_CPFS).map(([digits, outcome]) => {
  const cpf = parseCpf(digits);
  if (!cpf) throw new Error("the check digits of one of the sandbox's CPFs are wrong");
  return [formatCpf(cpf), OUTCOME_WORDS[outcome] ?? outcome] as const;
});

const NUMBERS = 'zero um dois três quatro cinco seis sete oito nove dez onze doze'.split(' ');
/** `seis bancos` */
export const BANKS_IN_WORDS = `${NUMBERS[BANKS.length] ?? BANKS.length} bancos`;

export const INTRODUCTION = `Integra crédito imobiliário ao sistema do parceiro: cadastro de leads, simulação em ${BANKS_IN_WORDS}, análise de crédito com desfecho assíncrono, acompanhamento e auditoria do consentimento.

## Fluxo
1. **Lead**: \`POST /v1/leads\` cria o cliente ou reaproveita o que já existe com o mesmo CPF.
2. **Simulação**: \`POST /v1/simulacoes\` dá as condições de cada banco, na hora.
3. **Análise**: \`POST /v1/analises\` submete uma análise por banco, com o consentimento do titular.
4. **Desfecho**: por webhook assinado, ou por \`GET /v1/analises/{id}/status\` até \`pendente\` ser false.

## Chave e ambientes
Toda chamada a \`/v1\` leva a chave no cabeçalho \`X-API-Key\` ou em \`Authorization: Bearer\`. O gestor a cria e a troca; ela é um segredo e fica só no servidor do parceiro. A chave decide o ambiente: \`pmc_sandbox_…\` é o sandbox, \`pmc_…\` é a produção, no mesmo endereço. Nada atravessa de um ambiente, ou de uma unidade, para outro: um id alheio responde como um que não existe.

No sandbox nada vai a bancos, e o CPF do titular decide o desfecho, cerca de ${OUTCOME_AFTER / seconds(1)} segundos depois da submissão:

| CPF | Desfecho |
|---|---|
${SANDBOX_CPFS.map(([cpf, outcome]) => `| ${cpf} | ${outcome} |`).join('\n')}
| qualquer outro | aprovado |

## Formatos
Corpos são JSON em UTF-8, de até ${LARGEST_BODY / 1024} KiB. Valores são números em reais, com no máximo 2 casas; taxas são percentuais. Datas são \`AAAA-MM-DD\`; momentos são ISO 8601 com fuso. Ids são inteiros positivos de até 53 bits. Textos são aparados e têm até 200 caracteres onde não se diz outro limite. Um campo desconhecido não muda nada, e a resposta 2xx o diz em \`avisos\`, com o nome que provavelmente se quis. Respostas podem ganhar campos novos na v1: ignore os que não conhecer.

## Erros
Toda resposta que não é 2xx tem o corpo \`Erro\`. Decida por \`codigo\`, cuja lista é fechada na v1; \`erro\` e \`motivo\` são frases para pessoas e podem mudar. Informe \`request_id\` ao suporte. A primeira verificação que falha é a que responde, nesta ordem: chave e limite, escopo, formato do corpo, Idempotency-Key, campos (os que faltam antes dos inválidos), consentimento, bancos, repetição, lead, titular.

Repita a chamada, com a mesma Idempotency-Key, em 429, 500, 502, 503 e 504, e no 409 \`idempotencia_em_andamento\`, depois dos segundos de \`Retry-After\` quando ele vem. Os demais pedem correção antes.

## Limite de chamadas
120 por minuto por parceiro e ambiente, salvo outro acordo; \`RateLimit\` diz em cada resposta o que resta. O excesso é 429 com \`Retry-After\`.

## Versões
A v1 só ganha: campos, rotas e valores de listas abertas. O que quebraria vem em /v2, e o que for retirado avisa com \`Deprecation\` e \`Sunset\` ao menos 180 dias antes.`;

interface Tag {
  /** In ASCII letters: generators name classes and files after the tag. */
  readonly name: string;
  readonly 'x-displayName'?: string;
  readonly description: string;
}

export const TAGS: Readonly<Record<Route['tag'], Tag>> = {
  leads: {
    name: 'Leads',
    description: 'O cliente do parceiro. Toda simulação e toda análise parte de um lead, único por CPF na unidade.',
  },
  simulations: {
    name: 'Simulacoes',
    'x-displayName': 'Simulações',
    description: 'Condições indicativas de financiamento, um registro por banco, sem consulta de crédito.',
  },
  analyses: {
    name: 'Analises',
    'x-displayName': 'Análises',
    description:
      'A consulta de crédito, uma análise por banco. Exige o consentimento do titular (LGPD) e tem desfecho assíncrono.',
  },
  consents: {
    name: 'Consentimentos',
    description: 'O registro, para auditoria, do consentimento que amparou cada análise. Guardado por 5 anos.',
  },
  webhooks: {
    name: 'Webhooks',
    description: 'Eventos assinados que o serviço envia ao parceiro, e a configuração deles, só para leitura.',
  },
  account: { name: 'Conta', description: 'De quem é a chave e o que ela pode.' },
  health: { name: 'Servico', 'x-displayName': 'Serviço', description: 'Se o serviço está de pé. Público, sem chave.' },
  docs: {
    name: 'Documentacao',
    'x-displayName': 'Documentação',
    description: 'O guia, a referência e este documento. Público, sem chave.',
  },
};

export const SCOPE_WORDS: Readonly<Record<Route['scope'], string>> = {
  leads: 'Escopo da chave: `leads`.',
  simulacoes: 'Escopo da chave: `simulacoes`.',
  analises: 'Escopo da chave: `analises`.',
  acompanhamento: 'Escopo da chave: `acompanhamento`.',
  all: 'Uma chave sem escopos definidos, ou com todos.',
  any: 'Qualquer chave válida.',
  public: 'Pública: não pede chave.',
};
