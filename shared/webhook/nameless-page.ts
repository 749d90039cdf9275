/** People's names, taken out of a receiver's failure page: an attempt knows nobody's name, and reads none to find out. */
import { STATUS_CODES } from 'node:http';
import { MASK } from '../domain/values/cpf.ts';
import { fold } from '../domain/values/nearest-name.ts';

/** What error pages say in capitals, folded: HTTP's own phrases, and what servers and frameworks add. */
const PAGE_WORDS: ReadonlySet<string> = new Set(
  fold(
    `${Object.values(STATUS_CODES).join(' ')} Access Amazon Apache API Application App Authentication Bad Cloudflare Connection
    Database Denied Error Exception Failed Failure Fatal Function Host HTTP HTTPS IIS Internal Invalid JSON Key Lambda Laravel
    Message Microsoft Missing Nginx Node Not Null Object Page PHP Please Port POST Proxy Python Reference Runtime Server
    Signature Site SQL Stack Status Symfony Syntax System Temporarily The Tomcat Trace Try Type Ubuntu Unexpected Unix Unknown
    URL Web Webhook Whitelabel Win64
    Acesso Assinatura Autenticação Banco Campo Chave Dados Erro Esgotado Evento Falha Indisponível Interna Interno Inválida
    Inválido Manutenção Método Não Negado Obrigatório Página Permitido Requisição Servidor Serviço Tempo Token`,
  ).split(/[\s'-]+/),
);
const PARTICLE = 'da|das|de|del|do|dos|du|e|van|von';
const IS_PARTICLE = new RegExp(`^(?:${PARTICLE})$`);
const WORD = String.raw`\p{Lu}[\p{L}\p{M}'’-]+`;
/** Words in capitals side by side, as a name is written. */
const IN_CAPITALS = new RegExp(String.raw`(?<![\p{L}\p{N}])${WORD}(?: (?:(?:${PARTICLE}) )?${WORD})+`, 'gu');
/** What a field of a name holds, however it is written: `"nome":"marina alves"`, `cliente=MARINA`. */
const IN_A_FIELD =
  /((?<!\p{L})(?:(?:full|first|last|user|customer|client)?[_ ]?name|sobrenome|nome(?:_\p{L}+)?|cliente|customer|titular|comprador|m[ãa]e|c[ôo]njuge(?:_nome)?)["']?\s{0,3}[:=]\s{0,3}["']?)(?![\d*])[\p{L}][\p{L}\p{M}'’. -]{0,100}/giu;

/** A page with `***` for what stands in it as names do: in a field of a name, or in capitals side by side. */
export function namelessPage(page: string): string {
  return page
    .replace(IN_A_FIELD, (all, label: string) => (/(?:error|exception)$/i.test(all) ? all : `${label}${MASK}`))
    .replace(IN_CAPITALS, (words) =>
      words.replace(/[\p{L}\p{M}'’-]+/gu, (word) =>
        IS_PARTICLE.test(word) || PAGE_WORDS.has(fold(word)) ? word : MASK,
      ),
    );
}
