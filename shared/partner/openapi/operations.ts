import { accountView, resetInProduction, resetLately, sandboxReset } from '#shared/contract/account.ts';
import {
  analysesAccepted,
  analysisStatus,
  leadAnalysisList,
  outcomeList,
  outcomeQuery,
} from '#shared/contract/analysis.ts';
import { holderMismatch, parseSubmission } from '#shared/contract/analysis-request.ts';
import { consentList } from '#shared/contract/consent.ts';
import { parseWithdrawal, withdrawalInput, withdrawalRecorded } from '#shared/contract/consent-withdrawal.ts';
import { deliveryList, deliveryQuery, deliveryResent, resentLately } from '#shared/contract/delivery.ts';
import { healthView } from '#shared/contract/health.ts';
import {
  leadCreated,
  leadFound,
  leadInput,
  leadPatchInput,
  leadUpdated,
  parseLead,
  parseLeadPatch,
} from '#shared/contract/lead.ts';
import { pageInput } from '#shared/contract/page.ts';
import { refusedCallList } from '#shared/contract/refused-call.ts';
import { leadNotFound } from '#shared/contract/request-failures.ts';
import { type Operation, type PathId, ROUTES } from '#shared/contract/routes.ts';
import { instalmentList, simulationFound } from '#shared/contract/simulation.ts';
import { simulationCreated } from '#shared/contract/simulation-created.ts';
import { offerMissing } from '#shared/contract/simulation-refusal.ts';
import { nothingToSimulate, parseSimulation, simulationInput } from '#shared/contract/simulation-request.ts';
import { noAddress, testedLately, webhookTested, webhookView } from '#shared/contract/webhook.ts';
import * as sent from './example-bodies.ts';
import * as story from './examples.ts';
import { type AnswerWords, answer, fileAnswer, type OperationWords } from './operation-words.ts';
import { submissionSchema } from './submission-schema.ts';

const LEAD_ID = ['O `lead_id` que a criação devolveu.', story.lead.lead.lead_id] as const;
const SIMULATION_ID = [
  'Um `simulacao_id` ou um `id_oportunidade` que a simulação devolveu.',
  story.simulation.simulacao.id,
] as const;
const OPPORTUNITY_ID = [
  'O `id_oportunidade`, ou o `simulacao_id` de uma das suas simulações.',
  story.simulationAnswer.resultado.id_oportunidade,
] as const;
const taking = (kind: PathId) => ROUTES.filter(({ pathId }) => pathId === kind).map(({ operation }) => operation);
const TO_LEAD = { id: '/lead_id', operations: taking('lead') } as const;
const TO_SIMULATION = { id: '/resultado/resultados/0/simulacao_id', operations: taking('simulation') } as const;
const TO_ANALYSIS = { id: '/analises/0/analise_id', operations: taking('analysis') } as const;
const TO_RESEND = { id: '/entregas/0/id', operations: taking('event') } as const;
const UNCHANGED: AnswerWords = { description: 'Nada mudou desde o ETag enviado em `If-None-Match`.' };

const without = (body: object, ...fields: readonly string[]) =>
  Object.fromEntries(Object.entries(body).filter(([field]) => !fields.includes(field)));

export const OPERATIONS: Readonly<Record<Operation, OperationWords>> = {
  'create-lead': {
    summary: 'Criar ou reaproveitar um lead',
    description:
      'Registra o cliente na unidade da chave. Se o CPF já é um lead da unidade, nada é duplicado: a resposta é 200 com o `lead_id` que existia, e os campos que faltavam a ele são preenchidos com os deste corpo; os que ele já tinha ficam como estão (para alterá-los, use PATCH).',
    body: {
      schema: leadInput,
      examples: {
        completo: ['Todos os campos', sent.newLead],
        minimo: ['Só o obrigatório', { nome: sent.newLead.nome, cpf: '90000000175' }],
      },
      read: (body) => parseLead(body, story.STORY_NOW),
      refused: [
        ['Falta o CPF', without(sent.newLead, 'cpf')],
        [
          'CPF com dígito errado e data no futuro',
          { ...sent.newLead, cpf: '900.000.001-76', data_nascimento: '2030-01-01' },
        ],
      ],
    },
    answers: {
      200: answer(
        'O CPF já era um lead da unidade, que foi reaproveitado.',
        leadCreated,
        { reaproveitado: ['Lead que já existia', story.leadReused] },
        TO_LEAD,
      ),
      201: answer('O lead foi criado.', leadCreated, { criado: ['Lead novo', story.leadAnswer] }, TO_LEAD),
    },
  },
  'get-lead': {
    summary: 'Consultar um lead',
    description: 'Devolve o que está registrado do cliente. O que o lead não tem vem como null.',
    id: LEAD_ID,
    answers: { 200: answer('O lead.', leadFound, { lead: ['Lead completo', story.lead] }) },
  },
  'update-lead': {
    summary: 'Alterar um lead',
    description:
      'Altera só os campos enviados; `null` apaga um campo opcional. CPF, data de nascimento, origem, unidade e consultor não se alteram. Sem corpo, ou com `{}`, nada muda e a resposta é 200.',
    id: LEAD_ID,
    body: {
      schema: leadPatchInput,
      examples: { renda: ['Nova renda, sem a anotação', sent.leadChange], nada: ['Nada a alterar', {}] },
      read: parseLeadPatch,
      refused: [
        ['Renda negativa', { renda: -1 }],
        ['O CPF não se altera', { cpf: '900.000.002-56' }],
      ],
    },
    answers: {
      200: answer('O lead está como pedido; `atualizado` diz o que mudou de fato.', leadUpdated, {
        alterado: ['Dois campos mudaram', story.leadChanged],
        igual: ['Nada mudou', story.leadUnchanged],
      }),
    },
  },
  'create-simulation': {
    summary: 'Simular em um ou mais bancos',
    description:
      'Calcula na hora as condições de cada banco pedido e guarda um registro por banco que oferece. Não consulta crédito e não pede consentimento. Informe ao menos um destes: `valor_imovel`, `valor_financiado` ou `renda` (na simulação ou no lead); o que faltar é completado com o máximo que o banco permite. Valores informados nunca são ajustados em silêncio: se passam do limite de um banco, a entrada dele vem com `sucesso: false`, todos os motivos e a proposta mais próxima que ele aceita. Ordene ofertas por `cet_projetado_aa`, nunca por CETs de indexadores diferentes, e compare parcelas e somas só entre ofertas de iguais `valor_financiado`, `prazo_meses`, `sistema_amortizacao` e `recursos_necessarios`.',
    body: {
      schema: simulationInput,
      examples: {
        valores: ['Valores e prazo definidos', sent.newSimulation],
        renda: ['O que a renda sustenta', sent.newSimulationByIncome],
        completa: ['Dois proponentes, FGTS e os dois sistemas', sent.newSimulationOfCouple],
      },
      read: (body) => parseSimulation(body, story.STORY_NOW),
      refused: [
        ['Faltam o lead e os bancos', { valor_imovel: 500000 }],
        ['Valor como texto e prazo fracionado', { ...sent.newSimulation, valor_imovel: '500000', prazo: 12.5 }],
        ['Banco fora da lista', { ...sent.newSimulation, bancos: ['itau', 'banco do povo'] }],
      ],
    },
    answers: {
      200: answer(
        'As condições de cada banco, na ordem pedida. É 200 também quando nenhum banco oferece.',
        simulationCreated,
        {
          simulada: ['Dois bancos oferecem, um não', story.simulationAnswer],
          completa: ['Os dois sistemas em cada banco', story.simulationAnswerOfCouple],
          nenhum: ['Nenhum banco oferece', story.simulationRefused],
        },
        TO_SIMULATION,
      ),
    },
    failures: [
      ['Nem valor nem renda', nothingToSimulate({})],
      ['O lead não é da unidade', leadNotFound()],
    ],
  },
  'get-simulation': {
    summary: 'Consultar uma simulação',
    description:
      'Devolve o registro completo da simulação em um banco. Aceita também o `id_oportunidade`: responde com a de CET projetado mais baixo e, em `outras`, as demais nessa ordem, por fim as de crédito com garantia de imóvel. O CET projetado é uma taxa: quando as ofertas não são empréstimos iguais, `observacoes` diz em que diferem. Se todos os bancos recusaram, não há o que devolver: 404.',
    id: SIMULATION_ID,
    answers: {
      200: answer('A simulação, como foi calculada: consultas futuras devolvem o mesmo.', simulationFound, {
        simulacao: ['Por simulacao_id', story.simulation],
        oportunidade: ['Por id_oportunidade', story.simulationByOpportunity],
      }),
    },
    failures: [['Todos os bancos recusaram', offerMissing({ id: story.OPPORTUNITY }, story.OPPORTUNITY)]],
  },
  'get-simulation-instalments': {
    summary: 'Consultar as parcelas de uma simulação',
    description:
      'Devolve o cronograma inteiro, uma linha por mês. Em cada linha as partes somam exatamente o total, e o saldo da última é 0.',
    id: SIMULATION_ID,
    answers: {
      200: answer('Todas as parcelas, da primeira à última.', instalmentList, {
        parcelas: ['As duas primeiras de 360', story.instalments],
      }),
    },
  },
  'get-simulation-pdf': {
    summary: 'Baixar o PDF de uma simulação',
    description:
      'Devolve a simulação como documento para o cliente: condições, planilha do CET, cenário projetado, gráficos e todas as parcelas, com o nome, o CRECI e o contato da unidade onde o gestor os cadastrou. Os números são os do registro, e o mesmo registro dá sempre os mesmos bytes enquanto o cadastro da unidade for o mesmo.',
    id: SIMULATION_ID,
    answers: { 200: fileAnswer('O documento, em português, com marcação para leitores de tela.', 'application/pdf') },
  },
  'get-simulation-comparison': {
    summary: 'Baixar o comparativo de uma oportunidade',
    description:
      'Devolve todas as ofertas da oportunidade lado a lado, em ordem crescente do CET projetado e o crédito com garantia de imóvel à parte, em duas a cinco páginas para o cliente: entrada e dinheiro na contratação, primeira e última parcela, CET oficial e projetado, renda que cada banco pede, todos os avisos, e os bancos sem oferta com seus motivos. Marca uma soma como a menor só quando as ofertas têm valor financiado, prazo, sistema e dinheiro na contratação iguais; senão diz em que diferem. Aceita o `id_oportunidade` ou o de qualquer das suas simulações. Traz o nome, o CRECI e o contato da unidade, que o gestor do serviço cadastra. Se nenhum banco ofereceu, não há o que comparar: 404.',
    id: OPPORTUNITY_ID,
    answers: { 200: fileAnswer('O documento, em português, com marcação para leitores de tela.', 'application/pdf') },
    failures: [['Todos os bancos recusaram', offerMissing({ id: story.OPPORTUNITY }, story.OPPORTUNITY)]],
  },
  'submit-analyses': {
    summary: 'Submeter análises de crédito',
    description:
      'Submete uma análise a cada banco pedido e guarda o consentimento do titular para auditoria. A resposta é 202: o desfecho vem depois, por webhook ou por GET /v1/analises/{id}/status (sugestão: a cada 30 segundos, por cerca de 15 minutos, até `pendente` ser false). `nome`, `cpf` e `data_nascimento` devem ser os do lead, que é a fonte. Uma Idempotency-Key nova é uma submissão nova, mesmo para o mesmo lead e banco: gere a chave uma vez por pedido e repita a chamada com ela até ter resposta.',
    body: {
      schema: submissionSchema,
      examples: {
        solteiro: ['Titular solteiro, dois bancos', sent.newAnalysis],
        casal: ['Titular casado, renda composta', sent.newAnalysisOfCouple],
      },
      read: (body) => parseSubmission(body, story.STORY_NOW, story.STORY_ENVIRONMENT),
      refused: [
        ['Faltam nome e RG', without(sent.newAnalysis, 'nome', 'rg')],
        ['Casado sem os dados do cônjuge', { ...sent.newAnalysis, estado_civil: 'casado' }],
        ['CEP e estado inválidos', { ...sent.newAnalysis, cep: '1310-100', uf: 'São Paulo' }],
        ['Sem o IP do titular', without(sent.newAnalysis, 'consentimento_ip')],
        ['Consentimento negado', { ...sent.newAnalysis, consentimento: false }],
        ['Banco fora da lista', { ...sent.newAnalysis, bancos: ['itau', 'banco do povo'] }],
      ],
    },
    answers: {
      202: answer(
        'Uma análise por banco, na ordem pedida. A entrega a um banco que falhou vem com `sucesso: false` e o `motivo`; as outras seguem.',
        analysesAccepted,
        {
          aceitas: ['Entregues a dois bancos', story.analysesAnswer],
          uma_recusada: ['Um banco não a recebeu', story.analysesPartlyTaken],
        },
        TO_ANALYSIS,
      ),
    },
    failures: [
      ['O lead não é da unidade', leadNotFound()],
      ['O nome difere do lead', holderMismatch(['name'])],
    ],
  },
  'list-analyses': {
    summary: 'Listar as análises que tiveram desfecho',
    description:
      'As análises da unidade cuja `situacao` já mudou, da que mudou há mais tempo à mais recente: serve para recuperar os desfechos que o seu sistema perdeu enquanto esteve fora. Comece dez minutos antes da falha, em `atualizada_desde`: um desfecho pode demorar a aparecer aqui, e os nossos relógios podem diferir em alguns minutos; siga `proximo_cursor` até null. Um desfecho é definitivo: cada análise vem uma vez. As que ainda estão `em_analise` não vêm, nem as de um titular cujos dados foram eliminados.',
    query: outcomeQuery,
    answers: {
      200: answer(
        'Uma página de análises.',
        outcomeList,
        { lista: ['Uma aprovada, e há outras', story.outcomes] },
        TO_ANALYSIS,
      ),
    },
  },
  'get-analysis-status': {
    summary: 'Acompanhar uma análise',
    description:
      'Diz onde a análise está. Decida por `situacao`, que é estável, e não por `status_original`, que é o texto do banco. Quando `pendente` é false o desfecho é definitivo e não há mais o que consultar.',
    id: ['O `analise_id` que a submissão devolveu.', story.analysisPending.analise.analise_id],
    answers: {
      200: answer('A situação da análise.', analysisStatus, {
        em_analise: ['O banco ainda não decidiu', story.analysisPending],
        aprovado: ['Crédito aprovado', story.analysisApproved],
      }),
    },
  },
  'list-lead-analyses': {
    summary: 'Listar as análises de um lead',
    description:
      'As análises do lead em todos os bancos, da mais nova à mais antiga. `pendentes` conta as que ainda esperam o banco, em todas as páginas.',
    id: LEAD_ID,
    query: pageInput,
    answers: {
      200: answer('Uma página de análises.', leadAnalysisList, {
        lista: ['Uma aprovada, uma pendente', story.leadAnalyses],
      }),
    },
  },
  'list-lead-consents': {
    summary: 'Listar os consentimentos de um lead',
    description:
      'O que foi registrado do consentimento do titular a cada submissão, do mais novo ao mais antigo, para auditoria (LGPD), e as revogações. Só a unidade dona do lead o vê.',
    id: LEAD_ID,
    query: pageInput,
    answers: {
      200: answer('Uma página de consentimentos.', consentList, {
        lista: ['Um consentimento, duas análises', story.leadConsents],
        revogado: ['Uma página vazia, e uma revogação', story.consentsWithdrawn],
      }),
    },
  },
  'withdraw-consent': {
    summary: 'Registrar que o titular revogou o consentimento',
    description:
      'Guarda que o titular revogou o que consentiu até um momento (LGPD, art. 8º, § 5º). Daí em diante, uma análise do lead pede um consentimento dado mais de 5 minutos depois: sem ele, 422 `consentimento_ausente`. Uma análise que o banco ainda não recebeu termina em `cancelado`, com o seu evento; a que ele recebeu segue, porque a consulta já foi feita, e a resposta o diz. A revogação fica guardada por 5 anos, como o consentimento, e a eliminação dos dados não a apaga. Se já havia uma do mesmo momento ou posterior, vale ela, e a resposta é 200.',
    id: LEAD_ID,
    body: {
      schema: withdrawalInput,
      examples: { app: ['Revogado pelo aplicativo', sent.newWithdrawal] },
      read: (body) => parseWithdrawal(body, Date.parse(sent.newWithdrawal.revogado_em)),
      refused: [
        ['Falta o canal', without(sent.newWithdrawal, 'canal')],
        ['Momento no futuro', { ...sent.newWithdrawal, revogado_em: '2030-01-01T00:00:00-03:00' }],
      ],
    },
    answers: {
      200: answer('Já havia uma revogação do mesmo momento ou posterior, que vale.', withdrawalRecorded, {
        repetida: ['Já registrada, nenhuma análise em andamento', story.withdrawalRepeated],
      }),
      201: answer('A revogação foi guardada.', withdrawalRecorded, {
        registrada: ['Uma análise segue, outra talvez termine', story.withdrawalAnswer],
      }),
    },
  },
  'get-webhook': {
    summary: 'Consultar a configuração do webhook',
    description:
      'Mostra para onde vão os eventos do ambiente da chave: sandbox e produção têm cada um o seu endereço e o seu segredo.',
    answers: {
      200: answer('A configuração.', webhookView, {
        configurado: ['Configurado', story.webhook],
        desativado: ['Desativado por si', story.webhookDisabled],
        vazio: ['Ainda sem endereço', story.webhookUnset],
      }),
    },
  },
  'list-own-deliveries': {
    summary: 'Listar as entregas de eventos',
    description:
      'Os eventos da unidade, do mais novo ao mais antigo, cada um com as suas tentativas: quando, com que status o seu receptor respondeu e por que falhou. No sandbox, também o corpo do evento, em `corpo`. Olha os 10.000 eventos mais novos do parceiro; se a lista acaba nesse limite, um aviso o diz. Guardados por 90 dias.',
    query: deliveryQuery,
    answers: {
      200: answer(
        'Uma página de entregas.',
        deliveryList,
        { lista: ['No sandbox: uma entregue, uma à espera da próxima tentativa', story.deliveries] },
        TO_RESEND,
      ),
    },
  },
  'resend-delivery': {
    summary: 'Reenviar um evento',
    description:
      'Faz agora uma tentativa a mais, com o mesmo id e os mesmos bytes, seja qual for a situação da entrega. No máximo uma por minuto e evento: antes disso, 429 com `Retry-After`. Se a tentativa falha, segue o que resta da agenda. Com o endereço desativado, o evento fica `suspensa` e sai quando o gestor o reativar; a resposta o diz em `avisos`. Não pede corpo.',
    id: ['O `id` da entrega, o mesmo que o evento traz no corpo.', story.EVENT],
    answers: {
      202: answer('A entrega, com a nova tentativa pedida.', deliveryResent, {
        pedido: ['A tentativa vem em instantes', story.resent],
        suspensa: ['O endereço está desativado', story.resentToDisabled],
      }),
    },
    failures: [['Reenviado há menos de um minuto', resentLately(42)]],
  },
  'test-webhook': {
    summary: 'Testar o próprio endereço',
    description:
      'Envia agora um `webhook.teste` assinado ao endereço do ambiente da chave, uma única vez, e diz o que o seu receptor respondeu. Um endereço desativado também o recebe, e a falha de um teste não desativa nenhum. No máximo um a cada 15 segundos por endereço: antes disso, 429 com `Retry-After`. A resposta espera o receptor, até 15 segundos. Não pede corpo.',
    answers: {
      200: answer('O que o receptor respondeu.', webhookTested, {
        aceito: ['O receptor aceitou', story.testAccepted],
        recusado: ['O receptor recusou a assinatura', story.testRefused],
      }),
    },
    failures: [
      ['Sem endereço', noAddress()],
      ['Testado há poucos segundos', testedLately(9)],
    ],
  },
  'get-account': {
    summary: 'Consultar a própria conta',
    description:
      'Diz de quem é a chave, em que unidade e ambiente atua, o que pode e quantas chamadas por minuto o parceiro tem. Boa primeira chamada para conferir uma chave.',
    answers: {
      200: answer('A identidade da chave.', accountView, {
        unidade: ['Chave da unidade inteira', story.account],
        consultor: ['Chave de um consultor, com um só escopo', story.accountOfConsultant],
      }),
    },
  },
  'list-refused-calls': {
    summary: 'Ver as próprias chamadas recusadas',
    description:
      'No sandbox, as 100 recusas mais novas da unidade nas últimas 24 horas, por qualquer das suas chaves: rota, status, código e os campos apontados, só pelo nome. Não entram 401, 429 e o que o gateway responde por si. Em produção a lista é vazia, com um aviso.',
    query: pageInput,
    answers: {
      200: answer('Uma página de chamadas recusadas.', refusedCallList, {
        lista: ['Uma recusa', story.refusedCalls],
        producao: ['Chave de produção', story.refusedCallsInProduction],
      }),
    },
  },
  'reset-sandbox': {
    summary: 'Recomeçar o sandbox',
    description:
      'Retira os leads de teste da unidade, com as suas simulações, análises e respostas guardadas por `Idempotency-Key`, e a lista de recusas. Os ids deixam de existir, e os mesmos CPFs criam leads novos. Ficam os passos da validação que `GET /v1/me` já mostrou e as entregas de eventos já feitas; uma análise em andamento não envia mais eventos. Um lead criado no último segundo pode ficar: o próximo reinício o retira. No máximo uma vez por minuto. Não pede corpo.',
    answers: {
      200: answer('O que foi retirado.', sandboxReset, { vazio: ['O sandbox está vazio', story.reset] }),
    },
    failures: [
      ['Recomeçado há pouco', resetLately(42)],
      ['Chave de produção', resetInProduction()],
    ],
  },
  'get-health': {
    summary: 'Saber se o serviço está de pé',
    description: 'Responde sem consultar nada mais: continua 200 quando um banco ou outra dependência está fora.',
    answers: { 200: answer('O serviço está de pé.', healthView, { de_pe: ['De pé', story.health] }) },
  },
  'get-docs': {
    summary: 'Ler a documentação',
    description:
      'O guia do parceiro, em português, com esta referência, as amostras e a busca. Cada página existe também em Markdown, e `/llms.txt` as lista.',
    answers: { 200: fileAnswer('A primeira página do guia.', 'text/html'), 304: UNCHANGED },
  },
  'get-openapi': {
    summary: 'Obter este documento',
    description:
      'A descrição da interface em OpenAPI 3.1. Muda pouco: guarde-a e revalide com `If-None-Match`, que responde 304 enquanto nada mudou.',
    answers: {
      200: { description: 'O documento.', schema: { type: 'object', description: 'Um documento OpenAPI 3.1.' } },
      304: UNCHANGED,
    },
  },
  'get-openapi-30': {
    summary: 'Obter o documento para geradores de código',
    description:
      'A mesma interface em OpenAPI 3.0, nas formas que geradores de código entendem: sem webhooks, um só tipo por campo, um só corpo de erro. Para ler e para validar, prefira o documento 3.1.',
    answers: {
      200: { description: 'O documento.', schema: { type: 'object', description: 'Um documento OpenAPI 3.0.' } },
      304: UNCHANGED,
    },
  },
};
