import type { AdministrationCode } from '#shared/administration/failures.ts';
import { CORRECTION_REFUSED } from '#shared/administration/leads.ts';
import type { Duty } from '#shared/administration/operation.ts';
import {
  ADMINISTRATION_OPERATIONS,
  type AdministrationOperation,
  type AnswerOf,
} from '#shared/administration/operations.ts';
import { ASKING } from '#shared/domain/audit/ports.ts';
import { type KeyStart, NEEDED } from '#shared/domain/partners/key-start.ts';
import { BANKS, bankName } from '#shared/domain/values/bank.ts';
import { MOST_SUSPENDED } from '#shared/domain/webhooks/waiting.ts';
import { dayText } from './moments.ts';

type Partners = AnswerOf<'show-sandbox-checklist'>;
type Step = Partners['steps'][number]['step'];
type EvidenceKind = NonNullable<Partners['steps'][number]['evidence']>['kind'];
type Key = AnswerOf<'list-keys'>['keys'][number];
type Delivery = AnswerOf<'show-delivery'>['delivery'];
type Analysis = AnswerOf<'show-analysis'>['analysis'];
type BankRate = AnswerOf<'list-bank-rates'>['rates'][number];
type FigureKind = AnswerOf<'list-bank-rates'>['figures'][number]['kind'];
type Words<Name extends string> = Readonly<Record<Name, string>>;

export type Environment = Key['environment'];
export type DeliveryState = Delivery['state'];
export type FailureClass = NonNullable<Delivery['history'][number]['failure']>;
export type ErasureState = AnswerOf<'erase-lead'>['erasure']['state'];

export const ENVIRONMENT: Words<Environment> = { sandbox: 'Sandbox', producao: 'Produção' };

export const SCOPE: Words<Key['scopes'][number]> = {
  leads: 'Leads',
  simulacoes: 'Simulações',
  analises: 'Análises',
  acompanhamento: 'Acompanhamento',
};

export const KEY_STATE: Words<Key['state']> = { live: 'Ativa', revoked: 'Revogada', never_live: 'Nunca ativada' };

export const STEP: Words<Step> = {
  lead: 'Cadastrou um lead',
  reuse: 'Reenviou um lead já cadastrado',
  simulation: 'Fez uma simulação',
  analysis: 'Enviou uma análise de crédito',
  replay: 'Repetiu uma chamada com a mesma Idempotency-Key',
  aprovado: 'Recebeu o resultado aprovado',
  condicionado: 'Recebeu o resultado condicionado',
  recusado: 'Recebeu o resultado recusado',
  cancelado: 'Recebeu o resultado cancelado',
  erro: 'Recebeu o resultado erro',
  webhook: 'Recebeu um webhook e respondeu 2xx',
  resend: 'Pediu o reenvio de um webhook',
};

export const EVIDENCE: Words<EvidenceKind> = {
  lead: 'lead',
  opportunity: 'oportunidade',
  analysis: 'análise',
  event: 'evento',
};

export const SEGMENT: Words<BankRate['segment']> = {
  padrao: 'Padrão',
  intermediario: 'Intermediário',
  alta_renda: 'Alta renda',
};

export const RATE_KIND: Words<BankRate['kind']> = {
  a_partir_de: 'a partir de',
  segmento: 'do segmento',
  media: 'média',
  promocional: 'promocional',
};

export const FIGURE_KIND: Words<FigureKind> = {
  conditions: 'Condições',
  excluded_states: 'Estados excluídos',
  scenario: 'Cenário',
};

/** "1 entrega", "2 entregas" */
export const counted = (count: number, singular: string, plural: string) =>
  `${count} ${count === 1 ? singular : plural}`;

export const DELIVERY_STATE = {
  pendente: { tone: 'calm', text: 'Pendente', means: 'Espera a próxima tentativa.' },
  entregue: { tone: 'good', text: 'Entregue', means: 'O parceiro respondeu 2xx.' },
  esgotada: { tone: 'bad', text: 'Esgotada', means: 'Todas as tentativas falharam.' },
  suspensa: { tone: 'warn', text: 'Suspensa', means: 'Guardada até que o webhook seja ligado.' },
  sem_destino: { tone: 'warn', text: 'Sem destino', means: 'O parceiro não tinha webhook configurado no ambiente.' },
} as const satisfies Readonly<Record<DeliveryState, object>>;
const DISCARDED = {
  tone: 'calm',
  text: 'Descartada',
  means: 'Todas as tentativas falharam, e alguém decidiu não a reenviar.',
} as const;

export const EVENT_TYPE: Words<Delivery['type']> = {
  'analise.resultado': 'Resultado de análise',
  'analise.erro': 'Erro de análise',
  'conta.alterada': 'Mudança da conta',
};

export const FAILURE_CLASS: Words<FailureClass> = {
  http_3xx: 'O endereço redireciona; redirecionamentos não são seguidos',
  http_4xx: 'O parceiro recusou',
  http_5xx: 'O servidor do parceiro falhou',
  timeout: 'O parceiro não respondeu em 15 segundos',
  dns: 'O nome do endereço não foi encontrado',
  tls: 'O certificado do endereço não é aceito',
  conexao: 'A conexão não se fez ou caiu',
  bloqueado: 'O endereço não é público, por isso não é chamado',
};

const isFailureClass = (name: string): name is FailureClass => Object.hasOwn(FAILURE_CLASS, name);

/** Reads the wire's `http_4xx 410` or `timeout`. */
export function causeText(cause: string): string {
  const [name = '', status] = cause.split(' ');
  const words = isFailureClass(name) ? FAILURE_CLASS[name] : cause;
  return status && words !== cause ? `${words} (HTTP ${status})` : words;
}

export const SITUATION: Words<Analysis['situation']> = {
  em_analise: 'Em análise',
  aprovado: 'Aprovado',
  condicionado: 'Condicionado',
  recusado: 'Recusado',
  cancelado: 'Cancelado',
  erro: 'Erro',
};

export const POLL_OUTCOME: Words<AnswerOf<'poll-analysis'>['outcome']> = {
  no_news: 'O operador não tem novidade.',
  note: 'Continua pendente, com novo número ou texto do banco.',
  change: 'Há um resultado; o evento foi registrado e será enviado ao parceiro.',
  overtaken: 'A consulta automática foi mais rápida e já registrou a novidade.',
};

export const DISABLED_BECAUSE: Words<NonNullable<AnswerOf<'show-webhook'>['webhooks'][number]['disabled_because']>> = {
  gone: 'O endereço respondeu 410 (não existe mais), e o serviço o desligou na hora.',
  failing: 'Nada chegou durante cinco dias, e o serviço o desligou.',
  manager: 'Uma pessoa da equipe o desligou.',
};

export const ERASURE_STATE: Words<ErasureState> = {
  aguardando: 'Aguardando análises pendentes',
  apagando: 'Apagando',
  apagado: 'Apagado; falta a segunda passagem',
};

export const ROLE: Words<AnswerOf<'find-leads'>['found'][number]['role']> = { holder: 'Titular', spouse: 'Cônjuge' };

export const OUTCOME: Words<AnswerOf<'list-audit'>['entries'][number]['outcome']> = {
  started: 'Sem desfecho',
  done: 'Feito',
  failed: 'Falhou',
};

export const APPROVAL_STATE: Words<AnswerOf<'list-approvals'>['approvals'][number]['state']> = {
  asked: 'Espera outra pessoa',
  approved: 'Aprovado',
  refused: 'Recusado',
  used: 'Usado',
};

export const APPROVAL_TONES = { asked: 'warn', approved: 'good', refused: 'bad', used: 'calm' } as const;

export const DUTY: Words<Duty> = {
  manager: 'gestão',
  support: 'suporte',
  privacy: 'privacidade',
  security: 'segurança',
  auditor: 'auditoria',
  operator: 'operador',
};

export const operationText = (name: string): string =>
  name === ASKING
    ? 'Pedir aprovação'
    : (ADMINISTRATION_OPERATIONS.find(({ operation }) => operation === name)?.portuguese ?? name);

export const FAILURE: Words<AdministrationCode> = {
  invalid_json: 'O painel enviou um pedido ilegível. Recarregue a página e tente de novo.',
  field_required: 'Falta preencher algum campo.',
  field_invalid: 'Algum campo tem um valor que não pode ter.',
  field_unknown: 'O painel enviou um campo que o serviço não conhece: recarregue a página.',
  caller_unknown: 'Não se sabe quem está chamando: entre de novo, com um e-mail confirmado.',
  forbidden: 'Suas funções não permitem isto.',
  not_found: 'Não existe nada com este número: confira-o.',
  route_not_found: 'Este serviço não conhece a operação: ele é mais antigo que o painel.',
  method_not_allowed: 'Este serviço não aceita a operação assim: ele é de outra versão que o painel.',
  changed_meanwhile: 'Outra pessoa mudou isto enquanto você trabalhava: atualize e veja como está agora.',
  approval_needed:
    'Pedido feito, e nada mudou ainda: em até 24 horas, outra pessoa, de uma função que pode fazer isto, aprova na tela Aprovações. Depois você faz a mudança ali com um clique, sem preencher nada de novo.',
  approval_used:
    'Nada foi feito: esta aprovação já foi usada há pouco. Veja na auditoria como a mudança terminou; se ainda for preciso, peça de novo dez minutos depois do uso.',
  body_too_large: 'O pedido é grande demais.',
  unsupported_media_type: 'O painel enviou um pedido em formato errado. Recarregue a página e tente de novo.',
  confirmation_missing: 'A confirmação não repete o que foi pedido.',
  refused: 'O estado atual não permite isto.',
  too_many_requests: 'Chamadas demais ao mesmo tempo: espere alguns segundos e repita.',
  internal_error:
    'O serviço falhou de um modo não previsto. Se era uma mudança, veja antes se ela aconteceu; senão, repita. Se continuar, informe o número do pedido.',
  outcome_unknown:
    'Não se sabe se a mudança aconteceu: veja como está agora, e o que a auditoria diz dela, antes de repetir.',
  operator_failed: 'O operador não deu resposta útil. A consulta automática continua perguntando.',
  unavailable:
    'O serviço não responde agora: espere alguns segundos e repita. Se era uma mudança, veja antes se ela aconteceu.',
  timed_out: 'O serviço não respondeu a tempo: veja se a mudança aconteceu antes de repetir.',
};

/** Changes that a dialog makes by its own token. If the same dialog sends the change again, the answer is the same. */
export const BY_TOKEN: ReadonlySet<AdministrationOperation> = new Set<AdministrationOperation>([
  'create-key',
  'rotate-key',
  'rotate-webhook-secret',
  'set-webhook',
  'validate-partner',
  'export-lead',
]);
export const REPEAT_HERE =
  'Não se sabe se a mudança aconteceu: envie de novo, sem fechar esta janela. Se já tinha acontecido, o mesmo resultado aparece; se for pedida mais uma aprovação, espere por ela com esta janela aberta.';

/** Sentences for a failure of one operation, which say more than the code itself. */
export const FAILURE_OF: Readonly<Partial<Record<`${AdministrationOperation} ${AdministrationCode}`, string>>> = {
  'validate-partner refused':
    'Ainda faltam passos no sandbox. Marque “Validar mesmo com passos faltando” se a decisão já foi tomada.',
  'create-key refused':
    'A chave não pode ser criada: chaves de produção exigem parceiro validado, e um parceiro tem um número máximo de chaves ativas.',
  'publish-bank-rate refused': 'A taxa não foi publicada. O que falta:',
  'confirm-bank-rate refused': 'A taxa não foi confirmada. O que falta:',
  'confirm-bank-rate not_found': 'Este segmento não tem taxa própria: confirme a do padrão.',
  'approve-approval refused': 'Quem pediu não aprova: outra pessoa precisa fazê-lo.',
  'rotate-key refused': 'Só uma chave ativa pode ser trocada.',
  'revoke-key refused': 'Só uma chave ativa pode ser revogada.',
  'set-webhook refused': 'Este endereço não é aceito para webhooks.',
  'set-webhook confirmation_missing':
    'Há eventos que esperam pelo endereço atual: repita o número do parceiro para enviá-los ao novo.',
  'rotate-webhook-secret refused':
    'O segredo anterior ainda assina também. Espere o fim do prazo, ou marque que ele deve deixar de valer já.',
  'rotate-webhook-secret not_found': 'O parceiro não tem webhook neste ambiente: defina primeiro o endereço.',
  'ping-webhook refused':
    'O segredo do webhook não pode ser lido: troque-o sem prazo, entregue o novo ao parceiro, e teste de novo.',
  'ping-webhook not_found': 'O parceiro não tem webhook neste ambiente: defina primeiro o endereço.',
  'discard-dead-letters not_found': 'Nada foi feito: a entrega já não está esgotada. Veja como está agora.',
  'replay-deliveries not_found': 'Nada foi enviado: o que se pediu não existe mais, ou já está a caminho.',
  'replay-deliveries refused': 'Este evento foi reenviado há menos de um minuto: espere um minuto e repita.',
  'show-delivery not_found': 'Não há entrega com este número de evento.',
  'show-analysis not_found': 'Este parceiro não tem análise com este número, em nenhuma unidade.',
  'poll-analysis refused': 'Esta análise já tem resultado final, que não muda mais.',
};

/** The key is the service's English sentence. */
export const REFUSAL: Readonly<Record<string, string>> = {
  [CORRECTION_REFUSED.erasing]: 'A exclusão dos dados desta pessoa já foi pedida.',
  [CORRECTION_REFUSED.pending]:
    'Há uma análise pendente, e o banco conhece a pessoa como foi enviada: espere o fim dela.',
  [CORRECTION_REFUSED.cpf_known]: 'O CPF já tem um lead próprio ali: procure-o pelo CPF, e apague o que está errado.',
};

/** The text itself is not repeated: it may hold a whole key. */
export function keyStartText(start: Extract<KeyStart, { readonly kind: 'none' | 'short' }>): string {
  if (start.kind === 'none')
    return 'Nenhuma chave começa assim: uma chave é pmc_ ou pmc_sandbox_, com letras e algarismos depois.';
  const { sandbox } = NEEDED;
  const { partner, key } = NEEDED[start.environment ?? 'producao'];
  const which = start.environment === undefined ? '' : ` de ${ENVIRONMENT[start.environment].toLowerCase()}`;
  const other = start.environment === undefined ? ` (sandbox: ${sandbox.partner} e ${sandbox.key})` : '';
  return `Para achar o parceiro de uma chave${which} são precisos ${partner} caracteres, e para achar a própria chave ${key}${other}; foram dados ${start.given}.`;
}

/** The key is the service's English text. */
const FIELD_REASON: Readonly<Record<string, string>> = {
  'must be a positive whole number': 'é um número inteiro positivo',
  'must not be empty': 'não pode ficar vazio',
  'has at most 200 characters': 'tem no máximo 200 caracteres',
  'has at most 500 characters': 'tem no máximo 500 caracteres',
  'must be one line without invisible characters': 'fica em uma só linha, sem caracteres que não aparecem',
  'must be evt_ and 32 letters': 'começa com evt_ e tem 32 letras depois',
  'must be 5 letters and digits': 'tem 5 letras e algarismos',
  'must be a moment with an offset: 2026-11-20T09:00:00-03:00': 'é uma data com hora',
  'does not lead to this lead: leave it out, or name the lead that find-leads gives':
    'não é o deste lead: procure a pessoa de novo',
  'send cpf, birth_date or both': 'preencha o CPF, o nascimento, ou os dois',
  'lies in the future': 'está no futuro',
  'must be a day that exists, YYYY-MM-DD': 'não é um dia que existe',
  'must be from 1900 on': 'é de 1900 em diante',
  'is no CPF: 11 digits, or ddd.ddd.ddd-dd': 'não é um CPF válido: são 11 algarismos',
  'is missing': 'falta preencher',
  'is unknown here: leave it out': 'o serviço não conhece este campo',
  'came more than once': 'foi enviado mais de uma vez',
  'names at least one': 'precisa de ao menos um item',
  'must be true or false': 'é sim ou não',
  'must be after since': 'precisa ser depois de “Desde”',
  'must be a month: 2026-11': 'é um mês, como 2026-11',
  'must be apr_ and 32 letters and digits': 'começa com apr_ e tem 32 letras e algarismos depois',
  'must be the next_cursor of the page before': 'não é a página seguinte desta lista: atualize a lista',
  'has 16 to 255 characters: it must not be guessed': 'tem de 16 a 255 caracteres',
  'must be a random UUID': 'é um UUID aleatório',
  'is no bearer token: 16 characters or more of letters, digits and -._~+/':
    'tem 16 caracteres ou mais: letras, algarismos e -._~+/',
  'is no sandbox key: pmc_sandbox_...': 'não é uma chave do sandbox: começa com pmc_sandbox_',
  'name a partner_id, or service=true': 'escolha um parceiro, ou o serviço inteiro',
  'name exactly one of event_id, partner_id and foreign': 'escolha só um: o evento ou o parceiro',
  'needs its partner_id': 'precisa do parceiro',
  'needs its unit_id': 'precisa da unidade',
  'is missing: an analysis is found by its number and its partner, or its unit':
    'falta: uma análise se acha pelo número e pelo parceiro, ou pela unidade',
  'is missing: name an event_id, or a partner_id with since': 'falta: escolha um evento, ou um parceiro e desde quando',
  'is missing: each environment has its own webhook': 'falta: cada ambiente tem seu próprio webhook',
  'is missing: an analysis is named with its unit': 'falta: uma análise se indica com a sua unidade',
  'is missing: say from when on': 'falta: diga desde quando',
  'is a number such as 13.49': 'é um número, como 13,49',
  'is a date such as 2026-12 or 2026-12-01': 'é uma data, como 12/2026 ou 01/12/2026',
  'must be a day': 'não é um dia que existe',
  'send page, or answered_by and kept_at of a written answer':
    'preencha a página, ou quem respondeu e onde está a resposta',
  'is missing: send name, creci or contact': 'falta: preencha o nome, o CRECI ou o contato',
  'is blank: say why, for the audit': 'diga por quê, para a auditoria',
  'has at least two letters: web, letter, telephone': 'precisa de ao menos duas letras: web, carta, telefone',
  'is kept for good: leave CPFs, RGs, telephones and e-mail addresses out':
    'fica guardado para sempre: não escreva CPF, RG, telefone nem e-mail',
  'is kept for good: leave CPFs and RGs out, and write a telephone as (11) 98888-7777':
    'fica guardado para sempre: não escreva CPF nem RG, e escreva o telefone como (11) 98888-7777',
  'is no name: leave keys, CPFs, telephones, e-mail addresses and invisible characters out':
    'não é um nome: procure sem chave, CPF, telefone, e-mail e caracteres que não aparecem',
  'is kept for good: of a key, write only the start that lists show, and no secret':
    'fica guardado para sempre: de uma chave, escreva só o começo que a lista mostra, e nenhum segredo',
};

/** Portuguese words for a fault of a rate whose published source describes another kind of rate. */
const OTHER_RATE: Readonly<Record<string, string>> = {
  'a CET is no rate': 'um CET não é uma taxa',
  'a rate does not include TR': 'a taxa não inclui a TR',
  'its basis is not nominal': 'a taxa em uso não é nominal',
  'its kind is not a_partir_de': 'a taxa em uso não é “a partir de”',
  'its kind is not media': 'a taxa em uso não é uma média',
  'its kind is not promocional': 'a taxa em uso não é promocional',
};

/** Portuguese words for faults whose English words hold a value: a pattern, and its replacement. */
const FIELD_REASONS_WITH_VALUE: readonly (readonly [RegExp, string])[] = [
  [/^names at most (\d+)$/, 'tem no máximo $1 itens'],
  [/^must be a whole number from (\d+) to (\d+)$/, 'é um número inteiro de $1 a $2'],
  [/^must be (\S+): it cannot be undone$/, 'precisa repetir $1, porque isto não se desfaz'],
  // Faults of bank rates, from the checks of shared/domain/simulations/pricing/tables.
  [/^(.+): say in confirmed why it is right$/, '$1: corrija, ou diga em “Por que está certa” por que ela vale'],
  [/^(padrao|intermediario|alta_renda) (.+)$/, 'a do segmento $1 $2'],
  [/^(\S+) is not after today, \S+$/, '$1 não é depois de hoje: escolha de amanhã em diante'],
  [/^(\S+) is more than a year ahead$/, '$1 é daqui a mais de um ano'],
  [
    /^a table of the code begins on (\S+) .+$/,
    'em $1 já começa outra taxa, de uma nova versão do serviço: escolha outro dia',
  ],
  [/^\S+ has no rate of its own for (\S+)$/, 'este banco não tem taxa própria para $1: publique a do Padrão'],
  [/^(\S+) is the rate in use: confirm it$/, '$1 já é a taxa em uso: use Confirmar'],
  [/^nothing needs a reason: leave it out$/, 'nada precisa de explicação: deixe vazio'],
  [
    /^the rate is used until (\S+) already, .+$/,
    'a taxa já vale até $1, e este dia não a estende: veja a página mais tarde',
  ],
  [/^was read on (\S+), after \S+$/, '$1 está no futuro'],
  [/^was read on (\S+), which is not after the rate's date (\S+)$/, '$1 não é depois de $2, quando o banco a publicou'],
  [/^'(.+)' is not an https address of (.+)$/, '$1 não é um endereço https de $2: use uma página do próprio banco'],
  [/^(\S+) is below ([\d.]+)$/, '$1 é menor que $2: confira a vírgula'],
  [/^(\S+) is above ([\d.]+)$/, '$1 é maior que $2: confira a vírgula'],
  [/^has no date of publication$/, 'em “Publicada em” não há uma data que existe: escreva como 12/2026 ou 01/12/2026'],
  [/^was published in (\S+), after (\S+)$/, '“Publicada em” é $1, depois de $2'],
  [/^has a source that is not (.+)$/, 'a fonte não diz o nome do banco: escreva $1 em “Fonte”'],
  [/^is (\d+) days old on .+$/, 'já teria $1 dias ao começar: procure uma mais nova'],
  [/^differs from (\S+) by more than (\S+) points$/, 'difere de $1 em mais de $2 ponto'],
  [/^differs from (\S+), which has the same date and source$/, 'difere de $1, que tem a mesma data e a mesma fonte'],
  [/^is dated (\S+), before the (\S+) of the version before$/, 'é de $1, e a taxa em uso é de $2'],
  [/^is the (\S+) of (\S+) under the newer date (\S+)$/, 'é a mesma de $2, $1, com a data mais nova $3'],
  [/^is (\S+) as a nominal rate$/, 'é $1 como taxa nominal'],
  [/^is (\S+) with a TR of (\S+)$/, 'é $1 com a TR de $2'],
  [/^is (\S+) above (\S+), as its CET may be$/, 'está $1 acima de $2, como o CET dela pode estar'],
  [
    /^is (\S+) above SAC's, and was (\S+) above it before$/,
    'no PRICE está $1 acima da do SAC, e antes estava $2 acima',
  ],
  [/^is fixed, but not above (\S+) plus a TR of (\S+)$/, 'é prefixada, e não passa de $1 mais a TR de $2'],
  [/^has the source '(.+)': (.+)$/, 'tem a fonte “$1”: $2'],
  [/^is not below padrao's (\S+)$/, 'não é menor que a do Padrão, $1'],
  [/^is below alta_renda's (\S+)$/, 'é menor que a da Alta renda, $1'],
  // The sentences of zod, which a schema without words of its own uses.
  [/^Invalid input: expected .+, received undefined$/, 'falta preencher'],
  [/^Invalid option: .+$/, 'não é uma das opções'],
  [/^Too big: expected string to have <=(\d+) characters$/, 'tem no máximo $1 caracteres'],
  [/^Too small: expected string to have >=(\d+) characters$/, 'tem no mínimo $1 caracteres'],
  [/^Too big: expected array to have <=(\d+) items$/, 'tem no máximo $1 itens'],
  [/^Too small: expected array to have >=(\d+) items$/, 'tem no mínimo $1 itens'],
  [/^Too big: expected (?:number|int) to be <=(\d+)$/, 'é no máximo $1'],
  [/^Too small: expected (?:number|int) to be >=(\d+)$/, 'é no mínimo $1'],
  [/^Unrecognized keys?: .+$/, 'o serviço não conhece este campo'],
  [/^Invalid (?:input|string|ISO).*$/, 'tem uma forma que o serviço não aceita'],
];

/** Undefined if the panel has no words for the reason. */
export function fieldReasonText(reason: string): string | undefined {
  const exact = FIELD_REASON[reason];
  if (exact !== undefined) return exact;
  for (const [pattern, text] of FIELD_REASONS_WITH_VALUE) {
    const found = pattern.exec(reason);
    if (found) return text.replace(/\$(\d)/g, (_, group) => partText(found[Number(group)] ?? ''));
  }
  return undefined;
}

/** Returns the Portuguese form of one part of an English fault: a day, a number, a segment, or words. */
function partText(part: string): string {
  if (/^\d{4}(-\d{2}){0,2}$/.test(part)) return dayText(part);
  if (/^\d+\.\d+$/.test(part)) return part.replace('.', ',');
  return VALUE['segment']?.[part] ?? OTHER_RATE[part] ?? fieldReasonText(part) ?? part;
}

/** Facts of an audit row, by their names on the wire, in the order in which the panel shows them. */
export const AUDIT_TARGET: Readonly<Record<string, string>> = {
  unit: 'unidade',
  environment: 'ambiente',
  key: 'chave',
  scopes: 'escopos',
  lead: 'lead',
  cpf: 'CPF (código)',
  event: 'evento',
  analysis: 'análise',
  role: 'a pessoa é',
  name: 'nome',
  creci: 'CRECI',
  contact: 'contato',
  incident_contact: 'contato para incidentes',
  limit: 'limite',
  host: 'endereço',
  path: 'caminho',
  url_digest: 'código do endereço inteiro',
  overlap: 'o anterior assina por mais 24 horas',
  dropPrevious: 'o anterior deixa de valer já',
  exercised: 'passos feitos',
  missing: 'passos que faltam',
  since: 'desde',
  until: 'até',
  foreign: 'mensagens de fora',
  most: 'no máximo',
  state: 'situação',
  outcome: 'resposta',
  delivered: 'entregue',
  released: 'eventos liberados',
  pending: 'pendentes',
  opportunities: 'simulações',
  forms: 'formulários',
  analyses: 'análises',
  consents: 'consentimentos',
  corrected: 'corrigido',
  withdrawal: 'revogação',
  sent: 'enviadas',
  skipped: 'já a caminho',
  events: 'eventos',
  found: 'encontrados',
  leads: 'leads',
  entries: 'registros',
  redriven: 'retomadas',
  discarded: 'descartadas',
  left: 'restam',
  version: 'versão',
  seen: 'linhas vistas',
  resealed: 'cifradas de novo',
  moved: 'movidas',
  removed: 'removidas',
  broken: 'ilegíveis',
  retired: 'chaves aposentadas',
  retired_index: 'chaves de índice aposentadas',
  index_changed: 'chave de índice trocada',
  partners: 'parceiros',
  replaced: 'no lugar de',
  approval: 'aprovação',
  approved_by: 'aprovado por',
  asked_by: 'pedido por',
  operation: 'operação',
  raw: 'na forma interna',
  bank: 'banco',
  segment: 'segmento',
  from: 'em uso desde',
  value: 'taxa',
  date: 'publicada em',
  seen_on: 'vista em',
  page: 'página',
  answered_by: 'quem respondeu',
  kept_at: 'onde está a resposta',
  confirmed: 'por que está certa',
};

export const FIELD: Readonly<Record<string, string>> = {
  reason: 'Motivo',
  confirm: 'Confirmação',
  name: 'Nome',
  cpf: 'CPF',
  url: 'Endereço',
  limit: 'Limite',
  partner_id: 'Parceiro',
  unit_id: 'Unidade',
  lead_id: 'Lead',
  analysis_id: 'Análise',
  event_id: 'Evento',
  environment: 'Ambiente',
  scopes: 'Escopos',
  'consultant.name': 'Nome do consultor',
  'consultant.id': 'Número do consultor',
  since: 'Desde',
  until: 'Até',
  creci: 'CRECI',
  birth_date: 'Nascimento',
  withdrawn_at: 'Revogado em',
  channel: 'Canal',
  contact: 'Contato',
  approval_id: 'Aprovação',
  bank: 'Banco',
  consultant: 'Consultor',
  foreign: 'Mensagens de fora',
  incomplete: 'Validar mesmo com passos faltando',
  key_id: 'Chave',
  max: 'Máximo',
  month: 'Mês',
  operation: 'Operação',
  raw: 'Linhas guardadas',
  service: 'O serviço inteiro',
  state: 'Situação',
  unanswerable: 'Sem resposta do operador',
  segment: 'Segmento',
  seen: 'Vista em',
  page: 'Página do banco',
  answered_by: 'Quem respondeu',
  kept_at: 'Onde está a resposta',
  from: 'Em uso desde',
  value: 'Taxa',
  date: 'Publicada em',
  source: 'Fonte',
  confirmed: 'Por que está certa',
};

/** Names of the fields of a call that another person approves, if a form has no name for them, or a shorter one. */
export const APPROVED_FIELD: Readonly<Record<string, string>> = {
  cpf: 'CPF (código)',
  key_id: 'Chave a trocar',
  url: 'Endereço do webhook',
  overlap: 'O segredo atual vale mais 24 horas',
  drop_previous: 'O segredo anterior deixa de valer já',
  incomplete: 'Validar mesmo com passos faltando',
  missing: 'Passos que faltam',
  'webhook.sandbox': 'Webhook do sandbox',
  'webhook.producao': 'Webhook da produção',
  live_keys: 'Chaves ativas',
  role: 'Papel da pessoa',
  disabled_at: 'Desligado em',
  raw: 'Na forma interna do serviço',
  rate_date: 'Taxa publicada em',
};

/** Words for values of a closed set, by the field or the fact of the audit that has them. */
const VALUE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  environment: ENVIRONMENT,
  scopes: { ...SCOPE, all: 'Todos' },
  segment: SEGMENT,
  bank: Object.fromEntries(BANKS.map((bank) => [bank, bankName(bank)])),
  missing: STEP,
  role: ROLE,
  corrected: { cpf: 'CPF', birth_date: 'nascimento' },
  outcome: { no_news: 'sem novidade', note: 'texto novo do banco', change: 'há resultado', overtaken: 'já registrada' },
  operation: Object.fromEntries(ADMINISTRATION_OPERATIONS.map(({ operation, portuguese }) => [operation, portuguese])),
};

/** `a1B2c (Sandbox, unidade 456 Centro)` */
const liveKeysText = (keys: string) =>
  keys.replace(
    /\((sandbox|producao), unit (?=\d)/g,
    (_, environment: Environment) => `(${ENVIRONMENT[environment]}, unidade `,
  );

/** A list of words is one text with commas. */
export function valueText(field: string, value: string | number | boolean | null): string {
  if (value === null || value === '') return 'nenhum';
  if (typeof value === 'boolean') return value ? 'sim' : 'não';
  const words = VALUE[field];
  if (typeof value === 'number') return String(value);
  if (field === 'live_keys') return liveKeysText(value);
  if (words === undefined) return value;
  return value
    .split(/, ?/)
    .map((word) => words[word] ?? word)
    .join(', ');
}

/** The service counts only up to MOST_SUSPENDED, so this number means at least so many. */
export const keptText = (kept: number) => (kept === MOST_SUSPENDED ? `${kept} ou mais` : String(kept));

export const keptEventsText = (kept: number) =>
  kept === 1
    ? '1 evento espera guardado; sai assim que for ligado.'
    : `${keptText(kept)} eventos esperam guardados; saem assim que for ligado.`;

export const releasedEventsText = (kept: number) => {
  if (kept === 0) return 'Não há eventos guardados.';
  if (kept === 1) return '1 evento guardado vai ao parceiro.';
  return `${keptText(kept)} eventos guardados vão ao parceiro, um depois do outro.`;
};

/** The service counts up to 1000. */
export const movedEventsText = (waiting: number) => {
  if (waiting === 1) return '1 evento que espera pelo endereço atual irá ao novo.';
  const events = waiting === 1000 ? '1000 eventos ou mais (ou não se pôde contar)' : `${waiting} eventos`;
  return `${events} que esperam pelo endereço atual irão ao novo.`;
};

/** A discarded delivery is shown as such, not as exhausted. */
export const stateOf = ({ state, discarded_at }: Pick<Delivery, 'state' | 'discarded_at'>) =>
  state === 'esgotada' && discarded_at !== null ? DISCARDED : DELIVERY_STATE[state];

export interface DeliveryFilters {
  readonly state: DeliveryState | '';
  readonly environment: Environment | '';
  readonly unit: string;
  readonly analysis: string;
  /** In the form of an input of type datetime-local. */
  readonly since: string;
  readonly until: string;
}
