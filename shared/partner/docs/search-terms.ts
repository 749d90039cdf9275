// How a word becomes what the index holds and queries ask for. Portuguese in half a page: a full stemmer would be ten
// times as long and, over a guide of this size, finds no page more.

/** Words that say nothing of what is looked for. */
const STOP = new Set(
  'a o as os um uma de do da dos das em no na nos nas por pela pelo para pra com e ou que se ao aos qual quais como onde quando quanto e eu me meu minha seu sua ha faz faco fazer posso pode the how to is of'.split(
    ' ',
  ),
);

/** Endings of verbs and of the nouns made from them: `autenticar`, `autenticação`, `deprecated`. Longest first. */
const ENDING =
  /(?:[aei]coes|[aei]cao|adores|ador|ation|ated|ando|endo|indo|ad[ao]|id[ao]|ar|er|ir|am|em|ing|ed|a|e|o)$/;
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

/** Words that partners use for the same thing, in Portuguese and English: groups, parted by commas. */
const SYNONYMS: readonly string[] = [
  'chave token credencial apikey senha secret key password, segredo secret, troca rotation rotate rotacao substituir renovar',
  'autenticacao login oauth jwt bearer autorizacao auth authentication unauthorized, permissao escopo scope forbidden acesso',
  'sdk biblioteca library lib package pacote npm pip nuget maven, linguagem language framework, csharp dotnet net',
  'openapi swagger especificacao spec schema, gerar generator generate gerador, exemplo amostra sample curl example',
  'consulta polling, webhook callback notificacao hook postback notification, evento event notificacao',
  'espera timeout demora wait latencia, pagina paginacao offset limit cursor page pagination, lista listar list',
  'sandbox homologacao teste hml staging test, producao prod production live, versao versionamento v2 breaking version',
  'novidades changelog release, retirado deprecation deprecated obsoleto descontinuado, mudanca change alteracao',
  'tls ssl certificado mtls cipher, ips ip whitelist allowlist firewall, rede network, fixo static estatico',
  'sla disponibilidade uptime status indisponivel availability health liveness probe, manutencao maintenance downtime',
  'suporte contato email atendimento telefone ajuda help support contact, gestor gerente manager administrador',
  'boletos boleto pagamento, prestacao parcela amortizacao instalment installment, cronograma schedule calendario',
  'documentos upload anexo holerite arquivo document anexar, baixar download, fuso timezone utc horario',
  'cancelar desistir desistencia estornar cancelamento cancel, reinicio reset reiniciar limpar zerar recomecar',
  'limite rate quota throttling cota 429, minuto minute, maximo max maximum limite, minimo min minimum',
  'idempotencia idempotency idempotent, repetir retry retentativa reenviar tentativa backoff, reenvio resend replay redeliver, duplicado duplicate duplicidade repetido',
  'conjuge esposa marido casado casal uniao spouse wife husband, proponente coproponente comprador avalista',
  'consentimento lgpd privacidade aceite consent gdpr privacy, guarda retention retencao prazo kept',
  'eliminacao apagar excluir deletar exclusao delete erase remover, dados data, pessoais personal',
  'assinatura hmac sha256 signature verificar sign verify, desfecho resultado decisao retorno outcome result',
  'aprovado approved, recusado rejected declined denied reprovado negado refused recusa, pendente pending andamento',
  'caixa cef, banco bank instituicao, oferta offer proposta cotacao quote, melhor best menor comparar compare',
  'erro error falha exception fail failure, codigo code, invalido invalid errado incorreto wrong malformado',
  'obrigatorio required mandatory falta missing, campo field atributo, tipo type, suportado supported unsupported',
  'taxa juros cet interest rate, entrada downpayment down ltv, prazo meses term months, seguro insurance, idade age',
  'simulacao simulation simulate simulador, analise analysis analyses, credito credit, financiamento mortgage loan emprestimo',
  'imovel property casa apartamento house, renda income salario capacidade, cliente customer client comprador lead',
  'url endereco endpoint host address, localhost tunel tunnel ngrok maquina local, porta port, entrega delivery, historico history, rajada burst, bytes raw cru, serasa spc score, primeira first, navegador browser frontend javascript ajax',
  'pedido request requisicao chamada call, resposta response answer, corpo body payload conteudo, cabecalho header',
  'criar create cadastrar, novo new novidade, alterar update editar mudar atualizar edit modificar corrigir',
  'enviar send submit submeter mandar, ordem order sequencia, conta account whoami perfil, nascimento birth',
  'unidade branch filial, ambiente environment env, motivo reason causa cause, titular holder, pessoa person, parceiro partner',
  'aviso warning alerta, identificador id identifier, descartar ignorar discard ignore, receptor receiver consumer listener',
  'anterior previous former antigo old, observacao note nota, padrao default standard, custo cost, desconhecido unknown',
  'redirecionamento redirect, tabela table, oportunidade opportunity, fluxo flow jornada processo, conflito conflict',
  'desativado disabled desabilitado inativo, reativar reactivate reenable, suspenso suspended, ativo active enabled',
  'dinheiro money moeda currency, saldo balance, tarifa fee, avaliacao appraisal vistoria, garantia collateral',
  'inteiro integer int int64 bigint long, texto string text, booleano boolean bool, momento timestamp datetime, opcional optional',
  'caminho path rota route, parametro parameter param, metodo method verb, tamanho size, digito digit, fila queue',
  'auditoria audit, expirar expire vencer validade, prova proof evidencia, canal channel, revogar revoke, igual same identico',
  'forcar force escolher, permitir allow, encontrado found, vazio empty null, grande large big, interno internal',
];

const byTerm = new Map<string, ReadonlySet<string>>();
for (const group of SYNONYMS.join(', ').split(', ')) {
  const terms = group.split(' ').flatMap((word) => termOf(word) ?? []);
  for (const term of terms) byTerm.set(term, new Set([...(byTerm.get(term) ?? []), ...terms]));
}

/** Other terms for the same thing; none for a term without any. */
export const synonymsOf = (term: string): readonly string[] =>
  [...(byTerm.get(term) ?? [])].filter((other) => other !== term);
