import * as z from 'zod';
import { accountView } from '../../contract/account.ts';
import {
  analysesAccepted,
  analysisInput,
  analysisStatus,
  hasSpouse,
  holderMismatch,
  leadAnalysisList,
  parseSubmission,
  SPOUSE,
} from '../../contract/analysis.ts';
import { consentList } from '../../contract/consent.ts';
import { event, testEvent } from '../../contract/event.ts';
import type { JsonObject } from '../../contract/fields.ts';
import { healthView } from '../../contract/health.ts';
import {
  leadCreated,
  leadFound,
  leadInput,
  leadNotFound,
  leadPatchInput,
  leadUpdated,
  parseLead,
  parseLeadPatch,
} from '../../contract/lead.ts';
import { pageInput } from '../../contract/page.ts';
import type { Operation, Route } from '../../contract/routes.ts';
import {
  instalmentList,
  nothingToSimulate,
  parseSimulation,
  simulationCreated,
  simulationFound,
  simulationInput,
} from '../../contract/simulation.ts';
import { webhookView } from '../../contract/webhook.ts';
import { MARITAL_STATUSES } from '../../domain/leads/lead.ts';
import type { Scope } from '../../domain/partners/partner.ts';
import { TEST_EVENT } from '../../domain/webhooks/delivery.ts';
import * as examples from './examples.ts';

/** A body of a call or of an answer, and what it is an example of. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
type Examples = Readonly<Record<string, Example>>;

interface BodyWords {
  readonly schema: z.ZodObject;
  readonly examples: Examples;
  /** What the endpoint reads out of a body. Throws the failure of a body that breaks the schema or a rule beyond it. */
  readonly read: (body: JsonObject) => unknown;
  /** Bodies that `read` refuses: the examples of those failures are what it really says of them. */
  readonly refused: readonly { readonly summary: string; readonly body: unknown }[];
}

/** What partners are told of an answer. */
export interface AnswerWords {
  readonly description: string;
  /** None where the answer has no body. */
  readonly schema?: z.ZodType | { readonly type: 'object' | 'string'; readonly [keyword: string]: unknown };
  readonly examples?: Examples;
  /** application/json where it is not said. */
  readonly mediaType?: string;
  /** An id in the body (a JSON pointer), and the operations whose path takes it. */
  readonly leadsTo?: { readonly id: `/${string}`; readonly operations: readonly Operation[] };
}

const OF_LEAD = {
  id: '/lead_id',
  operations: ['get-lead', 'update-lead', 'list-lead-analyses', 'list-lead-consents'],
} as const;
const OF_SIMULATION = {
  id: '/resultado/resultados/0/simulacao_id',
  operations: ['get-simulation', 'get-simulation-instalments', 'get-simulation-pdf'],
} as const;
const OF_ANALYSIS = { id: '/analises/0/analise_id', operations: ['get-analysis-status'] } as const;

/** What partners are told of an operation. */
export interface OperationWords {
  readonly summary: string;
  readonly description: string;
  /** What the id in the path is; on routes that have one. */
  readonly id?: string;
  readonly query?: z.ZodObject;
  readonly body?: BodyWords;
  /** Answers that are no failure, by status. */
  readonly answers: Readonly<Record<number, AnswerWords>>;
  /** Failures that only what is stored can cause, each with the case that its example shows. */
  readonly failures?: readonly { readonly summary: string; readonly failure: () => Error }[];
}

/** How partners' documentation groups the operations of a room. */
export const TAGS: Readonly<Record<Route['tag'], { readonly name: string; readonly description: string }>> = {
  leads: {
    name: 'Leads',
    description: 'O cliente do parceiro. Toda simulação e toda análise parte de um lead, único por CPF na unidade.',
  },
  simulations: {
    name: 'Simulações',
    description: 'Condições indicativas de financiamento, um registro por banco, sem consulta de crédito.',
  },
  analyses: {
    name: 'Análises',
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
  health: { name: 'Serviço', description: 'Se o serviço está de pé. Público, sem chave.' },
  docs: { name: 'Documentação', description: 'O guia, a referência e este documento. Público, sem chave.' },
};

/** The sandbox's test CPFs, each with the outcome that it forces. */
export const SANDBOX_CPFS: readonly (readonly [cpf: string, outcome: string])[] = [
  ['900.000.001-75', 'aprovado'],
  ['900.000.002-56', 'condicionado'],
  ['900.000.003-37', 'recusado'],
  ['900.000.004-18', 'cancelado'],
  ['900.000.005-07', 'erro ao processar'],
  ['900.000.006-80', 'continua em_analise'],
  ['900.000.007-60', 'aprovado depois de 5 minutos'],
  ['900.000.008-41', 'a entrega ao banco falha (sucesso false)'],
  ['900.000.009-22', 'aprovado; a primeira tentativa do webhook falha de propósito'],
];

/** What a key needs for a scope's operations. */
export const SCOPE_WORDS: Readonly<Record<Scope | 'any' | 'public', string>> = {
  leads: 'Escopo da chave: `leads`.',
  simulacoes: 'Escopo da chave: `simulacoes`.',
  analises: 'Escopo da chave: `analises`.',
  acompanhamento: 'Escopo da chave: `acompanhamento`.',
  any: 'Qualquer chave válida.',
  public: 'Pública: não pede chave.',
};

/**
 * The submission as partners must send it. The service leaves the four fields of the consent to a check of their own,
 * which answers another status; to partners they are required like the others.
 */
const analysisBody = analysisInput
  .required({ consentimento_timestamp: true, consentimento_ip: true, consentimento_canal: true })
  .extend({ consentimento: z.literal(true).meta({ ...analysisInput.shape.consentimento.meta() }) })
  .meta({
    id: 'AnaliseNova',
    anyOf: [
      {
        title: 'Sem cônjuge',
        properties: { estado_civil: { enum: MARITAL_STATUSES.filter((one) => !hasSpouse(one)) } },
      },
      {
        title: 'Com cônjuge',
        properties: { estado_civil: { enum: MARITAL_STATUSES.filter(hasSpouse) } },
        required: [...SPOUSE],
      },
    ],
  });

const { cpf: _cpf, ...leadWithoutCpf } = examples.newLead;
const { nome: _name, rg: _rg, ...analysisWithoutNames } = examples.newAnalysis;
const { consentimento_ip: _ip, ...analysisWithoutIp } = examples.newAnalysis;

export const OPERATIONS: Readonly<Record<Operation, OperationWords>> = {
  'create-lead': {
    summary: 'Criar ou reaproveitar um lead',
    description:
      'Registra o cliente na unidade da chave. Se o CPF já é um lead da unidade, nada é duplicado: a resposta é 200 com o `lead_id` que existia, e os campos que faltavam a ele são preenchidos com os deste corpo; os que ele já tinha ficam como estão (para alterá-los, use PATCH).',
    body: {
      schema: leadInput,
      examples: {
        completo: { summary: 'Todos os campos', value: examples.newLead },
        minimo: { summary: 'Só o obrigatório', value: { nome: examples.newLead.nome, cpf: '90000000175' } },
      },
      read: (body) => parseLead(body, examples.STORY_NOW),
      refused: [
        { summary: 'Falta o CPF', body: leadWithoutCpf },
        {
          summary: 'CPF com dígito errado e data no futuro',
          body: { ...examples.newLead, cpf: '900.000.001-76', data_nascimento: '2030-01-01' },
        },
      ],
    },
    answers: {
      200: {
        description: 'O CPF já era um lead da unidade, que foi reaproveitado.',
        schema: leadCreated,
        leadsTo: OF_LEAD,
        examples: { reaproveitado: { summary: 'Lead que já existia', value: examples.leadReused } },
      },
      201: {
        description: 'O lead foi criado.',
        schema: leadCreated,
        leadsTo: OF_LEAD,
        examples: { criado: { summary: 'Lead novo', value: examples.leadAnswer } },
      },
    },
  },
  'get-lead': {
    summary: 'Consultar um lead',
    description: 'Devolve o que está registrado do cliente. O que o lead não tem vem como null.',
    id: 'O `lead_id` que a criação devolveu.',
    answers: {
      200: {
        description: 'O lead.',
        schema: leadFound,
        examples: { lead: { summary: 'Lead completo', value: examples.lead } },
      },
    },
  },
  'update-lead': {
    summary: 'Alterar um lead',
    description:
      'Altera só os campos enviados; `null` apaga um campo opcional. CPF, data de nascimento, origem, unidade e consultor não se alteram. Sem corpo, ou com `{}`, nada muda e a resposta é 200.',
    id: 'O `lead_id` que a criação devolveu.',
    body: {
      schema: leadPatchInput,
      examples: {
        renda: { summary: 'Nova renda, sem a anotação', value: examples.leadChange },
        nada: { summary: 'Nada a alterar', value: {} },
      },
      read: parseLeadPatch,
      refused: [
        { summary: 'Renda negativa', body: { renda: -1 } },
        { summary: 'O CPF não se altera', body: { cpf: '900.000.002-56' } },
      ],
    },
    answers: {
      200: {
        description: 'O lead está como pedido; `atualizado` diz o que mudou de fato.',
        schema: leadUpdated,
        examples: {
          alterado: { summary: 'Dois campos mudaram', value: examples.leadChanged },
          igual: { summary: 'Nada mudou', value: { ...examples.leadChanged, atualizado: [] } },
        },
      },
    },
  },
  'create-simulation': {
    summary: 'Simular em um ou mais bancos',
    description:
      'Calcula na hora as condições de cada banco pedido e guarda um registro por banco que oferece. Não consulta crédito e não pede consentimento. Informe ao menos um destes: `valor_imovel`, `valor_financiado` ou `renda` (na simulação ou no lead); o que faltar é completado com o máximo que o banco permite. Valores informados nunca são ajustados em silêncio: se passam do limite de um banco, a entrada dele vem com `sucesso: false` e o motivo.',
    body: {
      schema: simulationInput,
      examples: {
        valores: { summary: 'Valores e prazo definidos', value: examples.newSimulation },
        renda: { summary: 'O que a renda sustenta', value: examples.newSimulationByIncome },
      },
      read: parseSimulation,
      refused: [
        { summary: 'Faltam o lead e os bancos', body: { valor_imovel: 500000 } },
        {
          summary: 'Valor como texto e prazo fracionado',
          body: { ...examples.newSimulation, valor_imovel: '500000', prazo: 12.5 },
        },
        { summary: 'Banco fora da lista', body: { ...examples.newSimulation, bancos: ['itau', 'banco do povo'] } },
      ],
    },
    answers: {
      200: {
        description: 'As condições de cada banco, na ordem pedida. É 200 também quando nenhum banco oferece.',
        schema: simulationCreated,
        leadsTo: OF_SIMULATION,
        examples: {
          simulada: { summary: 'Dois bancos oferecem, um não', value: examples.simulationAnswer },
          nenhum: {
            summary: 'Nenhum banco oferece',
            value: {
              ok: true,
              resultado: {
                ...examples.simulationAnswer.resultado,
                sucesso: false,
                resultados: examples.simulationAnswer.resultado.resultados.filter(({ sucesso }) => !sucesso),
              },
            },
          },
        },
      },
    },
    failures: [
      { summary: 'Nem valor nem renda', failure: nothingToSimulate },
      { summary: 'O lead não é da unidade', failure: leadNotFound },
    ],
  },
  'get-simulation': {
    summary: 'Consultar uma simulação',
    description:
      'Devolve o registro completo da simulação em um banco. Aceita também o `id_oportunidade`: responde com a simulação de menor CET e, em `outras`, as dos demais bancos.',
    id: 'Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.',
    answers: {
      200: {
        description: 'A simulação, como foi calculada: consultas futuras devolvem o mesmo.',
        schema: simulationFound,
        examples: {
          simulacao: { summary: 'Por simulacao_id', value: examples.simulation },
          oportunidade: { summary: 'Por id_oportunidade', value: examples.simulationByOpportunity },
        },
      },
    },
  },
  'get-simulation-instalments': {
    summary: 'Consultar as parcelas de uma simulação',
    description:
      'Devolve o cronograma inteiro, uma linha por mês. Em cada linha as partes somam exatamente o total, e o saldo da última é 0.',
    id: 'Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.',
    answers: {
      200: {
        description: 'Todas as parcelas, da primeira à última.',
        schema: instalmentList,
        examples: { parcelas: { summary: 'As duas primeiras de 360', value: examples.instalments } },
      },
    },
  },
  'get-simulation-pdf': {
    summary: 'Baixar o PDF de uma simulação',
    description:
      'Devolve a simulação como documento para o cliente: condições, gráficos e todas as parcelas. Os números são os do registro, e o mesmo registro dá sempre os mesmos bytes.',
    id: 'Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.',
    answers: {
      200: {
        description: 'O documento, em português, com marcação para leitores de tela.',
        mediaType: 'application/pdf',
        schema: { type: 'string', contentMediaType: 'application/pdf' },
      },
    },
  },
  'submit-analyses': {
    summary: 'Submeter análises de crédito',
    description:
      'Submete uma análise a cada banco pedido e guarda o consentimento do titular para auditoria. A resposta é 202: o desfecho vem depois, por webhook ou por GET /v1/analises/{id}/status (sugestão: a cada 30 segundos, por cerca de 15 minutos, até `pendente` ser false). `nome`, `cpf` e `data_nascimento` devem ser os do lead, que é a fonte. Uma Idempotency-Key nova é uma submissão nova, mesmo para o mesmo lead e banco: gere a chave uma vez por pedido e repita a chamada com ela até ter resposta.',
    body: {
      schema: analysisBody,
      examples: {
        solteiro: { summary: 'Titular solteiro, dois bancos', value: examples.newAnalysis },
        casal: { summary: 'Titular casado, renda composta', value: examples.newAnalysisOfCouple },
      },
      read: (body) => parseSubmission(body, examples.STORY_NOW),
      refused: [
        { summary: 'Faltam nome e RG', body: analysisWithoutNames },
        { summary: 'Casado sem os dados do cônjuge', body: { ...examples.newAnalysis, estado_civil: 'casado' } },
        { summary: 'CEP e estado inválidos', body: { ...examples.newAnalysis, cep: '1310-100', uf: 'São Paulo' } },
        { summary: 'Sem o IP do titular', body: analysisWithoutIp },
        { summary: 'Consentimento negado', body: { ...examples.newAnalysis, consentimento: false } },
        { summary: 'Banco fora da lista', body: { ...examples.newAnalysis, bancos: ['itau', 'banco do povo'] } },
      ],
    },
    answers: {
      202: {
        description:
          'Uma análise por banco, na ordem pedida. A entrega a um banco que falhou vem com `sucesso: false`; as outras seguem.',
        schema: analysesAccepted,
        leadsTo: OF_ANALYSIS,
        examples: { aceitas: { summary: 'Entregues a dois bancos', value: examples.analysesAnswer } },
      },
    },
    failures: [
      { summary: 'O lead não é da unidade', failure: leadNotFound },
      { summary: 'O nome difere do lead', failure: () => holderMismatch(['name']) },
    ],
  },
  'get-analysis-status': {
    summary: 'Acompanhar uma análise',
    description:
      'Diz onde a análise está. Decida por `situacao`, que é estável, e não por `status_original`, que é o texto do banco. Quando `pendente` é false o desfecho é definitivo e não há mais o que consultar.',
    id: 'O `analise_id` que a submissão devolveu.',
    answers: {
      200: {
        description: 'A situação da análise.',
        schema: analysisStatus,
        examples: {
          em_analise: { summary: 'O banco ainda não decidiu', value: examples.analysisPending },
          aprovado: { summary: 'Crédito aprovado', value: examples.analysisApproved },
        },
      },
    },
  },
  'list-lead-analyses': {
    summary: 'Listar as análises de um lead',
    description:
      'As análises do lead em todos os bancos, da mais nova à mais antiga. `pendentes` conta as que ainda esperam o banco, em todas as páginas.',
    id: 'O `lead_id` que a criação devolveu.',
    query: pageInput,
    answers: {
      200: {
        description: 'Uma página de análises.',
        schema: leadAnalysisList,
        examples: { lista: { summary: 'Uma aprovada, uma pendente', value: examples.leadAnalyses } },
      },
    },
  },
  'list-lead-consents': {
    summary: 'Listar os consentimentos de um lead',
    description:
      'O que foi registrado do consentimento do titular a cada submissão, do mais novo ao mais antigo, para auditoria (LGPD). Só a unidade dona do lead o vê.',
    id: 'O `lead_id` que a criação devolveu.',
    query: pageInput,
    answers: {
      200: {
        description: 'Uma página de consentimentos.',
        schema: consentList,
        examples: { lista: { summary: 'Um consentimento, duas análises', value: examples.leadConsents } },
      },
    },
  },
  'get-webhook': {
    summary: 'Consultar a configuração do webhook',
    description:
      'Mostra para onde os eventos vão. Só para leitura: o endereço e o segredo são configurados pelo gestor ou pelo suporte, e o segredo nunca é devolvido.',
    answers: {
      200: {
        description: 'A configuração.',
        schema: webhookView,
        examples: {
          configurado: { summary: 'Configurado', value: examples.webhook },
          vazio: {
            summary: 'Ainda sem endereço',
            value: {
              ok: true,
              webhook: { ...examples.webhook.webhook, configurado: false, url: '', secret_configurado: false },
            },
          },
        },
      },
    },
  },
  'get-account': {
    summary: 'Consultar a própria conta',
    description:
      'Diz de quem é a chave, em que unidade e ambiente atua, o que pode e quantas chamadas por minuto o parceiro tem. Boa primeira chamada para conferir uma chave.',
    answers: {
      200: {
        description: 'A identidade da chave.',
        schema: accountView,
        examples: {
          unidade: { summary: 'Chave da unidade inteira', value: examples.account },
          consultor: {
            summary: 'Chave de um consultor, com um só escopo',
            value: {
              ...examples.account,
              consultor: { id: 108487065603003, nome: 'Paula Ribeiro' },
              escopos: ['leads'],
            },
          },
        },
      },
    },
  },
  'get-health': {
    summary: 'Saber se o serviço está de pé',
    description: 'Responde sem consultar nada mais: continua 200 quando um banco ou outra dependência está fora.',
    answers: {
      200: {
        description: 'O serviço está de pé.',
        schema: healthView,
        examples: { de_pe: { summary: 'De pé', value: examples.health } },
      },
    },
  },
  'get-docs': {
    summary: 'Ler a documentação',
    description:
      'O guia do parceiro, em português, com esta referência, as amostras e a busca. Cada página existe também em Markdown, e `/llms.txt` as lista.',
    answers: {
      200: {
        description: 'A primeira página do guia.',
        mediaType: 'text/html',
        schema: { type: 'string', contentMediaType: 'text/html' },
      },
      304: { description: 'Nada mudou desde o ETag enviado em `If-None-Match`.' },
    },
  },
  'get-openapi': {
    summary: 'Obter este documento',
    description:
      'A descrição da interface em OpenAPI 3.1. Muda pouco: guarde-a e revalide com `If-None-Match`, que responde 304 enquanto nada mudou.',
    answers: {
      200: {
        description: 'O documento.',
        schema: { type: 'object', description: 'Um documento OpenAPI 3.1.' },
      },
      304: { description: 'Nada mudou desde o ETag enviado em `If-None-Match`.' },
    },
  },
};

/** What is sent to partners: the events, each with what narrows its body, and the manager's test. */
export const EVENTS = {
  'analise.resultado': {
    summary: 'A análise teve desfecho',
    description:
      'Enviado uma vez, quando a análise passa a aprovado, condicionado, recusado ou cancelado. Não traz dados pessoais: identifique o cliente por `lead_id`.',
    schema: event
      .extend({
        type: z.literal('analise.resultado').meta({ ...event.shape.type.meta() }),
        data: event.shape.data
          .omit({ motivo: true })
          .extend({
            situacao: event.shape.data.shape.situacao.exclude(['em_analise', 'erro']).meta({
              description: 'O desfecho, definitivo; a lista é estável na v1.',
              example: 'aprovado',
            }),
            pendente: z.literal(false).meta({ description: 'Sempre false: o desfecho é definitivo.' }),
          })
          .meta({ description: 'A análise, como em GET /v1/analises/{id}/status, mais lead_id e banco_id.' }),
      })
      .meta({ id: 'EventoResultado', description: 'Corpo do evento analise.resultado, até 4 KB.' }),
    examples: { aprovado: { summary: 'Crédito aprovado', value: examples.resultEvent() } },
  },
  'analise.erro': {
    summary: 'A análise falhou',
    description:
      'Enviado uma vez, quando não se conseguiu submeter a análise ou obter o desfecho. Uma nova tentativa é uma submissão nova, com Idempotency-Key nova.',
    schema: event
      .extend({
        type: z.literal('analise.erro').meta({ ...event.shape.type.meta(), example: 'analise.erro' }),
        data: event.shape.data
          .required({ motivo: true })
          .extend({
            situacao: z.literal('erro').meta({ description: 'Sempre erro neste evento.' }),
            pendente: z.literal(false).meta({ description: 'Sempre false: a análise terminou.' }),
          })
          .meta({ description: 'A análise, como em GET /v1/analises/{id}/status, mais lead_id, banco_id e motivo.' }),
      })
      .meta({ id: 'EventoErro', description: 'Corpo do evento analise.erro, até 4 KB.' }),
    examples: { erro: { summary: 'O banco não recebeu a proposta', value: examples.errorEvent() } },
  },
  [TEST_EVENT]: {
    summary: 'O gestor testou o endereço',
    description:
      'Enviado só quando o gestor ou o suporte testa o endereço, assinado como os demais, uma única vez e sem nova tentativa. Não fala de nenhuma análise e não está em `eventos` de GET /v1/webhooks: confira as assinaturas, responda 2xx e descarte-o, como todo tipo que o seu sistema não conheça.',
    schema: testEvent,
    examples: { teste: { summary: 'Teste do gestor', value: examples.pingEvent() } },
  },
} as const;
