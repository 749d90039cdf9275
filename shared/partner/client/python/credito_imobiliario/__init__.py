"""Cliente da API de crédito imobiliário para parceiros, gerado da descrição OpenAPI que o serviço publica.

Um arquivo, só com a biblioteca padrão: Python 3.9 ou mais novo.

    api = PartnerClient("https://...", key=os.environ["CHAVE"])
    lead = api.create_lead({"nome": "Marina Duarte Alves", "cpf": "900.000.001-75"})
    print(api.get_lead(lead.body["lead_id"]).body)
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import itertools
import json
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    Iterable,
    Iterator,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    Sequence,
    Set,
    Tuple,
    TypedDict,
    TypeVar,
    Union,
)

__version__ = "1.0.0"


class _LeadNovo(TypedDict):
    # Nome completo do cliente, como no documento: a análise confere com ele.
    nome: str
    # CPF do cliente, com ou sem pontuação. Os dígitos verificadores são conferidos; zeros à esquerda não são completados.
    cpf: str


class LeadNovo(_LeadNovo, total=False):
    # Telefone do cliente com DDD; de 8 a 15 dígitos, com ou sem pontuação.
    telefone: str
    # E-mail em que se fala com o cliente.
    email: str
    # Data de nascimento do cliente, até hoje. Sem ela, a simulação supõe 35 anos e a análise a traz depois.
    data_nascimento: Union[str, date]
    # Renda mensal bruta do cliente, em reais; a simulação a usa quando não recebe outra.
    renda: Union[float, Decimal]
    # Situação civil do cliente, como no documento.
    estado_civil: Literal["solteiro", "casado", "uniao", "divorciado", "viuvo", "separado"]
    # De onde o lead veio, nas palavras do parceiro; só para os relatórios dele.
    origem: str
    # Anotação livre do parceiro; aceita quebras de linha e não vai a nenhum banco. Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde, pois ela fica guardada com o lead. No sandbox, sandbox:recusado e os outros desfechos escolhem o das análises.
    observacao: str


class LeadAlteracao(TypedDict, total=False):
    # Nome completo corrigido; null não é aceito, pois o lead não fica sem nome.
    nome: str
    # Novo e-mail do cliente; null apaga o que há.
    email: Optional[str]
    # Novo telefone com DDD; null apaga o que há.
    telefone: Optional[str]
    # Nova renda mensal bruta, em reais; null apaga a que há.
    renda: Optional[Union[float, Decimal]]
    # Nova situação civil; null apaga a que há.
    estado_civil: Optional[Literal["solteiro", "casado", "uniao", "divorciado", "viuvo", "separado"]]
    # Nova anotação, que substitui a anterior; null apaga a que há. Não escreva nela dados pessoais de outras pessoas nem dados sensíveis, como os de saúde, pois ela fica guardada com o lead.
    observacao: Optional[str]


class _SimulacaoNova(TypedDict):
    # Lead para quem se simula, da mesma unidade e do mesmo ambiente da chave.
    lead_id: int
    # Bancos a consultar, cada um por apelido, nome ou id: bradesco (1), itau (2), santander (3), inter (4), brb (5), cashme (6). Maiúsculas e acentos não importam; repetidos contam uma vez; a ordem é a da resposta.
    bancos: List[Union[str, int]]


class SimulacaoNova(_SimulacaoNova, total=False):
    # Valor de compra ou de mercado do imóvel, em reais. Sem ele, o menor que comporta valor_financiado.
    valor_imovel: Union[float, Decimal]
    # Valor que se pede ao banco, em reais. Sem ele, a maior parte do imóvel que o banco financia; sem os dois valores, o que a renda sustenta.
    valor_financiado: Union[float, Decimal]
    # Prazo do financiamento, em meses. Sem ele, o maior que o banco e a idade do cliente permitem; acima do limite de um banco, ele recusa.
    prazo: int
    # Renda mensal bruta a considerar, em reais; sem ela, vale a do lead.
    renda: Union[float, Decimal]
    # Como as parcelas evoluem: SAC (cai mês a mês, o padrão) ou PRICE (constante).
    tipo_amortizacao: Literal["SAC", "PRICE"]
    # No lugar de tipo_amortizacao: os sistemas a simular, um item por banco e sistema. ["SAC", "PRICE"] compara os dois em uma chamada. Uma lista vazia vale como ausente.
    sistemas: List[Literal["SAC", "PRICE"]]
    # true financia também ITBI e registro (4 % do imóvel), nos bancos que o fazem; sem ele, false.
    financiar_despesas: bool
    # Segmento do cliente no banco; sem ele, padrao, o cliente comum de agência. Onde o banco não publica taxa para o segmento, vale a de todos.
    segmento: Literal["padrao", "intermediario", "alta_renda"]
    # Para que se compra o imóvel; sem ela, residencial. Nenhum banco publica preços de compra comercial: recusam todos, menos o crédito com garantia de imóvel.
    finalidade: Literal["residencial", "comercial"]
    # Estado do imóvel; um banco que não financia nele recusa. Onde nenhuma tabela distingue estados, um aviso diz que nada mudou.
    uf: Literal["AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA", "PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO"]
    # Quem compra junto: as rendas se somam, e o seguro conta as duas idades.
    segundo_proponente: SegundoProponente
    # FGTS que paga parte do preço, com o que a lei pergunta ao comprador.
    fgts: Fgts


class _SegundoProponente(TypedDict):
    # Renda mensal bruta do segundo proponente, em reais; soma-se à do primeiro.
    renda: Union[float, Decimal]
    # Nascimento do segundo proponente; o mais velho dos dois limita o prazo.
    data_nascimento: Union[str, date]


class SegundoProponente(_SegundoProponente, total=False):
    # Parte do seguro que cabe ao segundo proponente, em percentual; o primeiro fica com o resto. Sem ela, a das rendas.
    participacao: Union[float, Decimal]


class _Fgts(TypedDict):
    # Quanto do preço o FGTS paga, em reais. Só no SFH; não muda o financiado nem o CET.
    valor: Union[float, Decimal]


class Fgts(_Fgts, total=False):
    # O comprador soma três anos de trabalho sob o regime do FGTS? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
    tres_anos: bool
    # O comprador está sem outro financiamento ativo no SFH? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
    sem_financiamento_sfh: bool
    # O comprador está sem imóvel residencial no município em que mora ou trabalha? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
    sem_imovel_no_municipio: bool
    # O imóvel é para a moradia do comprador? Sem resposta, a oferta vem com um aviso; false é um motivo de recusa.
    moradia_propria: bool


class _AnaliseNova(TypedDict):
    # Lead do titular, da mesma unidade e do mesmo ambiente da chave. É a fonte de nome, CPF e nascimento.
    lead_id: int
    # Sempre true: o titular consentiu com a consulta de crédito (LGPD). Qualquer outro valor é recusado e nada vai ao banco.
    consentimento: Literal[True]
    # Momento em que o titular consentiu, com fuso. Até 5 minutos à frente do relógio do serviço são tolerados; antes do nascimento do titular não vale, e em produção tampouco um de há muito tempo: o guia diz de quantos dias.
    consentimento_timestamp: Union[str, datetime]
    # IP do aparelho em que o titular consentiu (v4 ou v6); não o do servidor do parceiro.
    consentimento_ip: str
    # Por onde o titular consentiu: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.
    consentimento_canal: str
    # Nome do titular, igual ao do lead; maiúsculas, acentos, espaços repetidos, caracteres invisíveis e a forma de apóstrofo e hífen não contam.
    nome: str
    # CPF do titular, igual ao do lead, com ou sem pontuação. No sandbox, os CPFs de teste decidem o desfecho.
    cpf: str
    # Nascimento do titular, de 18 a 80 anos. Igual ao do lead; se o lead não o tem, passa a ter este.
    data_nascimento: Union[str, date]
    # Renda mensal bruta do titular, em reais.
    renda: Union[float, Decimal]
    # Como consta no documento: M (masculino) ou F (feminino).
    sexo: Literal["M", "F"]
    # Situação civil do titular. Com casado ou uniao, conjuge_nome, conjuge_cpf e conjuge_data_nascimento são obrigatórios.
    estado_civil: Literal["solteiro", "casado", "uniao", "divorciado", "viuvo", "separado"]
    # Nome completo da mãe do titular, como no documento.
    nome_mae: str
    # E-mail em que o banco fala com o titular.
    email: str
    # O que o titular faz, como ele declara.
    profissao: str
    # Empregador do titular, ou a própria empresa, de onde vem a renda.
    empresa: str
    # Número da carteira de identidade (RG), com ou sem pontuação.
    rg: str
    # Sigla do órgão que emitiu o RG.
    rg_orgao: str
    # Sigla do estado em que o RG foi emitido.
    rg_uf: Literal["AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA", "PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO"]
    # Data de emissão do RG, até hoje.
    rg_emissao: Union[str, date]
    # CEP da residência do titular: 8 dígitos, com ou sem hífen.
    cep: str
    # Rua, avenida ou praça da residência, sem o número.
    logradouro: str
    # Número no logradouro, como texto; complementos cabem aqui (1000 ap 12).
    numero: str
    # Bairro da residência.
    bairro: str
    # Município da residência, por extenso.
    municipio: str
    # Sigla do estado da residência.
    uf: Literal["AC", "AL", "AP", "AM", "BA", "CE", "DF", "ES", "GO", "MA", "MT", "MS", "MG", "PA", "PB", "PR", "PE", "PI", "RJ", "RN", "RS", "RO", "RR", "SC", "SP", "SE", "TO"]
    # Valor de compra ou de mercado do imóvel, em reais.
    valor_imovel: Union[float, Decimal]
    # Valor que se pede ao banco, em reais; não passa de valor_imovel.
    valor_financiado: Union[float, Decimal]
    # Bancos a consultar, cada um por apelido, nome ou id: bradesco (1), itau (2), santander (3), inter (4), brb (5), cashme (6). Maiúsculas e acentos não importam; repetidos contam uma vez; a ordem é a da resposta.
    bancos: List[Union[str, int]]


class AnaliseNova(_AnaliseNova, total=False):
    # Versão do texto que o titular aceitou, como o parceiro a chama. Fica no registro do consentimento.
    consentimento_versao: str
    # Telefone com DDD em que o banco fala com o titular; de 8 a 15 dígitos, com ou sem pontuação.
    telefone: str
    # Prazo do financiamento, em meses. Sem ele, o banco propõe o seu.
    prazo: int
    # Nome completo do cônjuge ou companheiro. Obrigatório com estado_civil casado ou uniao.
    conjuge_nome: str
    # CPF do cônjuge, que não pode ser o do titular. Obrigatório com estado_civil casado ou uniao.
    conjuge_cpf: str
    # Data de nascimento do cônjuge, de 16 anos ou mais. Obrigatória com estado_civil casado ou uniao.
    conjuge_data_nascimento: Union[str, date]
    # Renda mensal bruta do cônjuge, em reais; só quando o casal compõe renda.
    conjuge_renda: Union[float, Decimal]


class RevogacaoNova(TypedDict):
    # Momento em que o titular revogou o consentimento, com fuso; vale para tudo o que ele consentiu até então. Até 5 minutos à frente do relógio do serviço são tolerados.
    revogado_em: Union[str, datetime]
    # Por onde o titular revogou: web, app, whatsapp, presencial ou outro canal, nas palavras do parceiro; ao menos 2 letras, sem CPF, RG, telefone ou e-mail.
    canal: str


class EventoResultadoData(TypedDict):
    """A análise, como em GET /v1/analises/{id}/status, mais lead_id e banco_id."""

    # Identificador da análise em um banco; é com ele que se acompanha o desfecho.
    analise_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
    num_consulta: str
    # Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
    status_original: str
    # O desfecho, definitivo; a lista é estável na v1.
    situacao: Literal["aprovado", "condicionado", "recusado", "cancelado"]
    # Sempre false: o desfecho é definitivo.
    pendente: Literal[False]
    # Lead do titular da análise.
    lead_id: int
    # Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
    banco_id: int


class EventoResultado(TypedDict):
    """Corpo do evento analise.resultado, até 4 KB."""

    # Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
    id: str
    # O que aconteceu. analise.resultado: a análise teve desfecho. analise.erro: a análise falhou.
    type: Literal["analise.resultado"]
    # Momento em que a situação mudou, UTC; o de cada tentativa está em webhook-timestamp.
    timestamp: str
    # Ambiente da chave que submeteu a análise.
    ambiente: Literal["sandbox", "producao"]
    # Ordem deste evento entre os da mesma análise, a partir de 1.
    sequencia: int
    # A análise, como em GET /v1/analises/{id}/status, mais lead_id e banco_id.
    data: EventoResultadoData


class EventoErroData(TypedDict):
    """A análise, como em GET /v1/analises/{id}/status, mais lead_id, banco_id e motivo."""

    # Identificador da análise em um banco; é com ele que se acompanha o desfecho.
    analise_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
    num_consulta: str
    # Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
    status_original: str
    # Sempre erro neste evento.
    situacao: Literal["erro"]
    # Sempre false: a análise terminou.
    pendente: Literal[False]
    # Lead do titular da análise.
    lead_id: int
    # Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
    banco_id: int
    # O que falhou, em uma frase para pessoas; só em analise.erro.
    motivo: str


class EventoErro(TypedDict):
    """Corpo do evento analise.erro, até 4 KB."""

    # Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
    id: str
    # O que aconteceu. analise.resultado: a análise teve desfecho. analise.erro: a análise falhou.
    type: Literal["analise.erro"]
    # Momento em que a situação mudou, UTC; o de cada tentativa está em webhook-timestamp.
    timestamp: str
    # Ambiente da chave que submeteu a análise.
    ambiente: Literal["sandbox", "producao"]
    # Ordem deste evento entre os da mesma análise, a partir de 1.
    sequencia: int
    # A análise, como em GET /v1/analises/{id}/status, mais lead_id, banco_id e motivo.
    data: EventoErroData


class EventoContaData(TypedDict):
    """Só o tipo da mudança: nem qual chave, nem qual endereço."""

    # O que mudou. chave_criada, chave_revogada, chave_trocada: uma chave da API. webhook_endereco: o endereço do webhook. webhook_segredo: o segredo que assina. producao_liberada: o parceiro pode ter chaves de produção.
    mudanca: str


class EventoConta(TypedDict):
    """Corpo do evento conta.alterada."""

    # Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
    id: str
    # Sempre conta.alterada: não fala de nenhuma análise.
    type: Literal["conta.alterada"]
    # Momento da mudança, UTC; GET /v1/me mostra em alterada_em o da última.
    timestamp: str
    # O ambiente da chave, do endereço ou do segredo que mudou; producao em producao_liberada.
    ambiente: Literal["sandbox", "producao"]
    # Sempre 0 neste evento.
    sequencia: Literal[0]
    # Só o tipo da mudança: nem qual chave, nem qual endereço.
    data: EventoContaData


class EventoTesteData(TypedDict):
    """Nada que o receptor precise guardar."""

    # O que é este evento, em uma frase.
    mensagem: str


class EventoTeste(TypedDict):
    """Corpo do evento webhook.teste."""

    # Identificador do evento, igual em toda tentativa e reenvio: descarte por ele os repetidos.
    id: str
    # Sempre webhook.teste: não fala de nenhuma análise.
    type: Literal["webhook.teste"]
    # Momento em que o gestor enviou o teste, UTC.
    timestamp: str
    # Ambiente do endereço testado.
    ambiente: Literal["sandbox", "producao"]
    # Sempre 0 neste evento.
    sequencia: Literal[0]
    # Nada que o receptor precise guardar.
    data: EventoTesteData


class LeadCriadoAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _LeadCriado(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
    lead_id: int
    # true quando o CPF já era um lead da unidade: vale o lead que existia, completado com o que lhe faltava.
    reaproveitado: bool


class LeadCriado(_LeadCriado, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[LeadCriadoAvisosItem]


class LeadConsultado(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    lead: Lead


class _Lead(TypedDict):
    # Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
    lead_id: int
    # Nome completo do cliente.
    nome: str
    # CPF do cliente, sempre com pontuação.
    cpf: str
    # Telefone como foi enviado; null quando não há.
    telefone: Optional[str]
    # E-mail do cliente; null quando não há.
    email: Optional[str]
    # Nascimento do cliente; null quando não há.
    data_nascimento: Optional[str]
    # Renda mensal bruta, em reais; null quando não há.
    renda: Optional[float]
    # Situação civil do cliente; null quando não há.
    estado_civil: Optional[Literal["solteiro", "casado", "uniao", "divorciado", "viuvo", "separado"]]
    # De onde o lead veio, nas palavras do parceiro; null quando não há.
    origem: Optional[str]
    # Anotação do parceiro; null quando não há.
    observacao: Optional[str]
    # Momento em que o lead foi criado, UTC.
    criado_em: str
    # Momento da última alteração, UTC; o da criação enquanto nada mudou.
    atualizado_em: str


class Lead(_Lead, total=False):
    # Quando o lead e o que está ligado a ele serão eliminados por falta de uso, UTC; ausente sem aviso em curso. Qualquer uso (alteração, simulação, análise ou o mesmo CPF em POST /v1/leads) encerra o aviso.
    expira_em: str


class LeadAlteradoAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _LeadAlterado(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Identificador do lead na unidade; guarde-o, as outras chamadas partem dele.
    lead_id: int
    # Nomes dos campos cujo valor mudou de fato; vazio quando nada mudou.
    atualizado: List[str]


class LeadAlterado(_LeadAlterado, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[LeadAlteradoAvisosItem]


class SimulacaoCriadaResultado(TypedDict):
    """O que se simulou nesta chamada, banco a banco."""

    # true quando ao menos um dos bancos oferece.
    sucesso: bool
    # Identificador de tudo o que esta chamada simulou; GET /v1/simulacoes/{id} o aceita e responde com a de CET projetado mais baixo.
    id_oportunidade: int
    # Um item por banco, na ordem pedida; com sistemas, um por banco e sistema.
    resultados: List[Oferta]


class SimulacaoCriadaAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _SimulacaoCriada(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # O que se simulou nesta chamada, banco a banco.
    resultado: SimulacaoCriadaResultado


class SimulacaoCriada(_SimulacaoCriada, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[SimulacaoCriadaAvisosItem]


class _OfertaComPrecos(TypedDict):
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # true: o banco oferece, e os preços estão aqui.
    sucesso: Literal[True]
    # Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
    simulacao_id: int
    # Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia. Lista aberta, hoje SFH, SFI, HOME_EQUITY: novos valores podem surgir na v1.
    produto: str
    # O que corrige o saldo devedor, além dos juros. Lista aberta, hoje TR, IPCA, POUPANCA, PREFIXADO: novos valores podem surgir na v1.
    indexador: str
    # Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
    sistema_amortizacao: str
    # Principal do contrato, despesas financiadas incluídas, em reais.
    valor_financiado: float
    # Prazo que o banco oferece, em meses.
    prazo_meses: int
    # De quem é a taxa: padrao é o cliente comum de agência; é o que vale também quando o banco não publica taxa para o segmento pedido. Lista aberta, hoje padrao, intermediario, alta_renda: novos valores podem surgir na v1.
    segmento: str
    # Juros efetivos, 2 casas, em percentual ao ano.
    taxa_anual: float
    # O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha. Lista aberta, hoje a_partir_de, segmento, media, promocional: novos valores podem surgir na v1.
    taxa_tipo: str
    # Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.
    taxa_data: str
    # Quem publicou a taxa, em uma frase para o cliente.
    taxa_fonte: str
    # Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
    cet_anual: float
    # Primeira parcela, com seguros e tarifa, em reais.
    parcela_1: float
    # Preço menos FGTS e menos `valor_financiado` sem as despesas financiadas; 0 em crédito com garantia de imóvel, em reais.
    entrada: float
    # Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação, em reais.
    recursos_necessarios: float
    # Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção, em reais.
    renda_necessaria: float
    # Caminho do PDF da simulação, que se acrescenta a {base_url}; pede a mesma chave.
    pdf_url: str


class OfertaComPrecos(_OfertaComPrecos, total=False):
    """O que um banco oferece."""

    # De quando são os outros números da tabela (prêmios, tarifas, prazos, limites, partes): uma data, ou a mais antiga e a mais nova, 2025/2026-11.
    condicoes_data: str
    # CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
    cet_projetado_aa: float
    # Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.
    renda_suficiente: bool
    # Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum, em reais.
    valor_maximo_pela_renda: float


class _OfertaRecusada(TypedDict):
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # false: o banco não oferece, e motivos diz por quê. Não há preço nenhum.
    sucesso: Literal[False]
    # Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
    sistema_amortizacao: str
    # Por que este banco não oferece, com o limite que o pedido passou.
    motivo: str
    # Tudo o que impede a oferta neste banco; o primeiro é o de motivo.
    motivos: List[str]


class OfertaRecusada(_OfertaRecusada, total=False):
    """Por que um banco não oferece, e o que ele aceitaria."""

    # O pedido mais próximo que este banco aceita: troque estes quatro campos, sem `sistemas`, e simule de novo. Ausente quando nenhum valor resolve, ou só um imóvel mais barato.
    proposta_possivel: PropostaPossivel


class PropostaPossivel(TypedDict):
    # Valor do imóvel, em reais.
    valor_imovel: float
    # Valor que se pede ao banco, sem as despesas, em reais.
    valor_financiado: float
    # Prazo, em meses.
    prazo: int
    # Sistema que este banco oferece.
    tipo_amortizacao: Literal["SAC", "PRICE"]


class SimulacaoConsultada(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    simulacao: Simulacao


class SimulacaoCliente(TypedDict):
    """O cliente como estava no lead no momento da simulação."""

    # Nome do cliente no momento da simulação.
    nome: str
    # CPF do cliente, sempre com pontuação.
    cpf: str
    # Nascimento do cliente; null quando o lead não o tinha.
    data_nascimento: Optional[str]


class SimulacaoSegundoProponente(TypedDict):
    """Quem compra junto, como o seguro o conta."""

    # Nascimento do segundo proponente.
    data_nascimento: str
    # Parte do seguro que cabe a ele, em percentual, 2 casas.
    participacao: float


class _SimulacaoValores(TypedDict):
    # Valor do imóvel considerado, em reais.
    imovel: float
    # Principal do contrato, despesas financiadas incluídas, em reais.
    financiado: float
    # ITBI e registro que entraram no financiamento; 0 quando não entraram, em reais.
    despesas: float


class SimulacaoValores(_SimulacaoValores, total=False):
    """De que valores a oferta parte."""

    # Quanto do preço o FGTS paga, em reais.
    fgts: float
    # `imovel` menos `fgts` e menos `financiado` sem as `despesas`; 0 em crédito com garantia de imóvel, em reais.
    entrada: float
    # ITBI e registro que não entraram no financiamento, em reais.
    despesas_a_vista: float
    # Dinheiro que o cliente traz no dia: entrada, despesas à vista e avaliação, em reais.
    recursos_necessarios: float


class _SimulacaoTaxas(TypedDict):
    # Juros efetivos, 2 casas, em percentual ao ano.
    juros_aa: float
    # Os mesmos juros, 4 casas, em percentual ao mês.
    juros_am: float
    # Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
    cet_aa: float


class SimulacaoTaxas(_SimulacaoTaxas, total=False):
    """Quanto custa o dinheiro."""

    # CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
    cet_projetado_aa: float
    # O que a taxa é: a_partir_de é a menor anunciada, segmento a do segmento, media uma média de contratos, promocional a de uma campanha. Lista aberta, hoje a_partir_de, segmento, media, promocional: novos valores podem surgir na v1.
    taxa_tipo: str
    # Quando a taxa foi publicada, com a precisão que se conhece: 2026, 2026-07 ou 2026-07-30.
    taxa_data: str
    # Quem publicou a taxa, em uma frase para o cliente.
    taxa_fonte: str
    # De quando são os outros números da tabela (prêmios, tarifas, prazos, limites, partes): uma data, ou a mais antiga e a mais nova, 2025/2026-11.
    condicoes_data: str


class SimulacaoParcelas(TypedDict):
    """Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas."""

    # Primeira parcela, com seguros e tarifa, em reais.
    primeira: float
    # Última parcela, com tarifa e sem seguros, em reais.
    ultima: float
    # Soma de todas as parcelas, em reais.
    total_a_pagar: float


class SimulacaoCustos(TypedDict):
    """O que se paga além dos juros."""

    # Avaliação do imóvel, paga uma vez, no início, em reais.
    taxa_avaliacao: float
    # Seguro de danos ao imóvel (DFI), sobre o valor do imóvel, em percentual ao mês.
    dfi: float
    # Tarifa de administração de cada parcela, em reais.
    tarifa_mensal: float
    # IOF retido do que se recebe; 0 na compra de moradia, que é isenta, em reais.
    iof: float


class SimulacaoComposicaoPrimeiraParcela(TypedDict):
    """De que se compõe a primeira parcela; as partes somam exatamente o total."""

    # Parte que abate o principal, em reais.
    amortizacao: float
    # Juros do mês sobre o saldo devedor, em reais.
    juros: float
    # Seguro de morte e invalidez (MIP), conforme a idade, em reais.
    seguro_mip: float
    # Seguro de danos ao imóvel (DFI), em reais.
    dfi: float
    # Tarifa de administração, em reais.
    tarifa: float
    # Soma das partes: o que se paga na primeira parcela, em reais.
    total: float


class _SimulacaoOutrasItem(TypedDict):
    # Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
    id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
    sistema_amortizacao: str
    # Custo efetivo total (CET): juros, seguros, tarifas e IOF, com o indexador contado como zero, 2 casas, em percentual ao ano.
    cet_aa: float


class SimulacaoOutrasItem(_SimulacaoOutrasItem, total=False):
    # CET projetado: o mesmo custo com o indexador no cenário datado, 2 casas; é a taxa que põe as ofertas em ordem, em percentual ao ano.
    cet_projetado_aa: float


class _Simulacao(TypedDict):
    # Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
    id: int
    # Lead para quem se simulou.
    lead_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
    banco_id: int
    # Regime do crédito: SFH e SFI são financiamento de imóvel, HOME_EQUITY é crédito com garantia. Lista aberta, hoje SFH, SFI, HOME_EQUITY: novos valores podem surgir na v1.
    produto: str
    # Como as parcelas evoluem: SAC cai, PRICE é constante. Lista aberta, hoje SAC, PRICE: novos valores podem surgir na v1.
    sistema_amortizacao: str
    # O que corrige o saldo devedor, além dos juros. Lista aberta, hoje TR, IPCA, POUPANCA, PREFIXADO: novos valores podem surgir na v1.
    indexador: str
    # Prazo oferecido, em meses.
    prazo_meses: int
    # Momento em que se simulou, UTC.
    data: str
    # Último dia dos preços desta tabela: 30 dias depois da simulação. Não é prazo de uma proposta do banco.
    valida_ate: str
    # Versão da tabela do banco que deu os preços; uma tabela nova não altera simulações feitas.
    tabela_versao: str
    # O cliente como estava no lead no momento da simulação.
    cliente: SimulacaoCliente
    # De que valores a oferta parte.
    valores: SimulacaoValores
    # Quanto custa o dinheiro.
    taxas: SimulacaoTaxas
    # Resumo do cronograma, que está inteiro em /v1/simulacoes/{id}/parcelas.
    parcelas: SimulacaoParcelas
    # Quem assume a inflação: o cliente quando um indexador corrige o saldo, o banco quando não há indexador.
    inflacao_por_conta_de: Literal["cliente", "banco"]
    # Menor renda mensal com que este banco oferece estas condições; com dois proponentes sem `participacao`, a soma das rendas na mesma proporção, em reais.
    renda_necessaria: float
    # O que se paga além dos juros.
    custos: SimulacaoCustos
    # De que se compõe a primeira parcela; as partes somam exatamente o total.
    composicao_primeira_parcela: SimulacaoComposicaoPrimeiraParcela
    # O que a simulação supôs, em frases para o cliente; na consulta pelo id_oportunidade também por que as ofertas não se comparam em reais, quando diferem em valor financiado, prazo, sistema ou dinheiro do dia.
    observacoes: List[str]


class Simulacao(_Simulacao, total=False):
    # De quem é a taxa: padrao é o cliente comum de agência; é o que vale também quando o banco não publica taxa para o segmento pedido. Lista aberta, hoje padrao, intermediario, alta_renda: novos valores podem surgir na v1.
    segmento: str
    # Para que se compra o imóvel. Lista aberta, hoje residencial, comercial: novos valores podem surgir na v1.
    finalidade: str
    # Quem compra junto, como o seguro o conta.
    segundo_proponente: SimulacaoSegundoProponente
    # A mesma oferta em um cenário do indexador: para comparar ofertas, não é promessa.
    projecao: Projecao
    # Se a renda informada, a dos dois proponentes somada, sustenta a primeira parcela. Só quando há renda.
    renda_suficiente: bool
    # Maior valor financiado, sem as despesas, que a renda e o banco permitem nestas condições. Ausente quando não há nenhum, em reais.
    valor_maximo_pela_renda: float
    # As outras ofertas, em ordem crescente do CET projetado, e por fim as de crédito com garantia de imóvel; só quando a consulta foi pelo id_oportunidade.
    outras: List[SimulacaoOutrasItem]


class Projecao(TypedDict):
    # Versão do cenário, que se guarda com a simulação.
    cenario: str
    # Quanto se supõe que o indexador some; 0 sem indexador, em percentual ao ano.
    indexador_aa: float
    # Quando o número do indexador foi publicado; vazio sem indexador.
    data: str
    # Quem publicou o número do indexador; vazio sem indexador.
    fonte: str
    # Última parcela neste cenário, em reais.
    ultima: float
    # Soma de todas as parcelas neste cenário, em reais.
    total_a_pagar: float


class Parcelas(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Identificador da simulação em um banco; vale em /v1/simulacoes/{id} e no que pende dela.
    simulacao_id: int
    # O cronograma inteiro, uma linha por mês.
    parcelas: List[Parcela]


class Parcela(TypedDict):
    # Ordem da parcela, de 1 ao prazo.
    numero: int
    # Dia em que a parcela vence.
    vencimento: str
    # Parte que abate o principal, em reais.
    amortizacao: float
    # Juros do mês sobre o saldo devedor, em reais.
    juros: float
    # Seguro de morte e invalidez (MIP), conforme a idade, em reais.
    seguro_mip: float
    # Seguro de danos ao imóvel (DFI), em reais.
    dfi: float
    # Tarifa de administração, em reais.
    tarifa: float
    # Soma das partes: o que se paga nesta parcela, em reais.
    total: float
    # O que se deve depois de pagar esta parcela; 0 na última, em reais.
    saldo_devedor: float


class _AnalisesAceitasAnalisesItem(TypedDict):
    # Id do banco: 1 bradesco, 2 itau, 3 santander, 4 inter, 5 brb, 6 cashme.
    banco_id: int
    # true: a proposta foi ou está sendo entregue ao banco. false: o banco não a recebeu nem receberá. A análise já tem desfecho, que vai também por webhook: erro, ou cancelado se o titular revogou o consentimento ou pediu a eliminação dos dados antes do envio.
    sucesso: bool
    # Identificador da análise em um banco; é com ele que se acompanha o desfecho.
    analise_id: int
    # Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
    num_consulta: str
    # Texto do banco ao receber, só para leitura; o desfecho vem em situacao, depois.
    status: str


class AnalisesAceitasAnalisesItem(_AnalisesAceitasAnalisesItem, total=False):
    # Por que o banco não a recebeu, em uma frase para pessoas, como no webhook; só com sucesso false.
    motivo: str


class AnalisesAceitasAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _AnalisesAceitas(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Um item por banco, na ordem pedida.
    analises: List[AnalisesAceitasAnalisesItem]


class AnalisesAceitas(_AnalisesAceitas, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[AnalisesAceitasAvisosItem]


class AnaliseSituacaoAnalise(TypedDict):
    """Onde a análise está neste momento."""

    # Identificador da análise em um banco; é com ele que se acompanha o desfecho.
    analise_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Número da consulta no banco; vazio enquanto o banco não o confirmou. Um CPF com pontos e traço aparece nele como *** e, enquanto guardamos o formulário, também CPF, nome, telefone e nascimento de quem está nele, nas formas usuais, salvo palavras que os bancos usam.
    num_consulta: str
    # Último texto do banco, só para leitura; muda sem aviso. Um CPF, RG, telefone ou e-mail em forma usual vem nele como *** e, enquanto guardamos o formulário, também o nome do titular, da mãe ou do cônjuge, salvo palavras que os bancos usam.
    status_original: str
    # Onde a análise está; a lista é estável na v1: decida por ela. em_analise: o banco ainda não decidiu. aprovado. condicionado: aprovado com uma condição. recusado: o banco recusou. cancelado: cancelada ou vencida. erro: não se conseguiu submeter ou consultar.
    situacao: Literal["em_analise", "aprovado", "condicionado", "recusado", "cancelado", "erro"]
    # true enquanto situacao é em_analise; quando passa a false, o desfecho é definitivo.
    pendente: bool


class AnaliseSituacao(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Onde a análise está neste momento.
    analise: AnaliseSituacaoAnalise


class AnalisesDoLeadAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class AnalisesDoLeadAnalisesItem(TypedDict):
    # Identificador da análise em um banco; é com ele que se acompanha o desfecho.
    analise_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # Onde a análise está; a lista é estável na v1: decida por ela. em_analise: o banco ainda não decidiu. aprovado. condicionado: aprovado com uma condição. recusado: o banco recusou. cancelado: cancelada ou vencida. erro: não se conseguiu submeter ou consultar.
    situacao: Literal["em_analise", "aprovado", "condicionado", "recusado", "cancelado", "erro"]
    # true enquanto situacao é em_analise; quando passa a false, o desfecho é definitivo.
    pendente: bool


class _AnalisesDoLead(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Tamanho de página que valeu para esta resposta.
    limit: int
    # Quantos itens foram pulados antes desta página.
    offset: int
    # true quando há itens depois desta página: peça a próxima com offset + limit.
    tem_mais: bool
    # Quantas análises do lead ainda estão em_analise, em todas as páginas.
    pendentes: int
    # As análises desta página, da mais nova à mais antiga.
    analises: List[AnalisesDoLeadAnalisesItem]


class AnalisesDoLead(_AnalisesDoLead, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[AnalisesDoLeadAvisosItem]


class ConsentimentosAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class ConsentimentosRevogacoesItem(TypedDict):
    """A revogação que vale. Se já havia uma do mesmo momento ou posterior, é ela, e o que este pedido disse não fica guardado."""

    # Identificador do registro da revogação, que nunca muda nem é apagado antes de 5 anos.
    id: int
    # Momento em que o titular revogou o consentimento, como foi informado.
    revogado_em: str
    # Por onde o titular revogou, como foi informado.
    canal: str
    # Momento em que o serviço guardou a revogação.
    registrado_em: str


class _Consentimentos(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Tamanho de página que valeu para esta resposta.
    limit: int
    # Quantos itens foram pulados antes desta página.
    offset: int
    # true quando há itens depois desta página: peça a próxima com offset + limit.
    tem_mais: bool
    # Os registros desta página, do mais novo ao mais antigo.
    consentimentos: List[Consentimento]
    # As revogações do titular, da mais nova à mais antiga, as mesmas em todas as páginas; até 100. Só um consentimento mais novo que a última vale para novas análises.
    revogacoes: List[ConsentimentosRevogacoesItem]


class Consentimentos(_Consentimentos, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[ConsentimentosAvisosItem]


class _Consentimento(TypedDict):
    # Identificador do registro de consentimento, que nunca muda nem é apagado antes de 5 anos.
    id: int
    # Só há registro de quem consentiu.
    consentimento: Literal[True]
    # Momento em que o titular consentiu, como o parceiro o informou.
    timestamp: str
    # IP do cliente final ao consentir.
    ip: str
    # Por onde o titular consentiu, como o parceiro o informou.
    canal: str
    # Análises que se apoiaram neste consentimento.
    analise_ids: List[int]


class Consentimento(_Consentimento, total=False):
    # Versão do texto que o titular aceitou, como o parceiro a informou; ausente onde não a informou.
    versao: str


class RevogacaoRegistradaRevogacao(TypedDict):
    """A revogação que vale. Se já havia uma do mesmo momento ou posterior, é ela, e o que este pedido disse não fica guardado."""

    # Identificador do registro da revogação, que nunca muda nem é apagado antes de 5 anos.
    id: int
    # Momento em que o titular revogou o consentimento, como foi informado.
    revogado_em: str
    # Por onde o titular revogou, como foi informado.
    canal: str
    # Momento em que o serviço guardou a revogação.
    registrado_em: str


class RevogacaoRegistradaAnalisesItem(TypedDict):
    # Análise que ainda espera o banco e se apoia em um consentimento revogado.
    analise_id: int
    # Apelido do banco, sempre nesta forma nas respostas.
    banco: Literal["bradesco", "itau", "santander", "inter", "brb", "cashme"]
    # true: o banco já tem a consulta, e a análise segue até o desfecho. false: ainda não se sabe se o banco a recebeu. Se a recebeu, ela segue; se não, termina em cancelado, com o seu evento, e não é mais enviada. Um envio em curso na hora da revogação ainda pode chegar ao banco, em cerca de um minuto: então ela segue, ou termina em erro se o envio é recusado.
    enviada: bool
    # O que acontece com a análise, em uma frase para pessoas.
    motivo: str


class RevogacaoRegistradaAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _RevogacaoRegistrada(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # A revogação que vale. Se já havia uma do mesmo momento ou posterior, é ela, e o que este pedido disse não fica guardado.
    revogacao: RevogacaoRegistradaRevogacao
    # As análises em andamento que se apoiam em um consentimento revogado, da mais nova à mais antiga.
    analises: List[RevogacaoRegistradaAnalisesItem]


class RevogacaoRegistrada(_RevogacaoRegistrada, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[RevogacaoRegistradaAvisosItem]


class WebhookWebhook(TypedDict):
    """Para onde e como os eventos são enviados."""

    # Ambiente da chave, cujos eventos vão a este endereço. O outro ambiente tem um endereço e um segredo seus.
    ambiente: Literal["sandbox", "producao"]
    # true quando há um endereço que recebe os eventos.
    configurado: bool
    # Para onde os eventos vão, sem usuário, senha e query; vazio quando não está configurado.
    url: str
    # true quando há um segredo que assina os eventos; o segredo nunca é devolvido.
    secret_configurado: bool
    # true quando os eventos são enviados; false quando o endereço falta ou está desativado.
    ativo: bool
    # Momento em que o endereço foi desativado, UTC; null quando está ativo ou falta.
    desativado_em: Optional[str]
    # Por que o endereço está desativado e o que fazer; null quando não está.
    causa: Optional[str]
    # Quantos eventos da unidade estão guardados até o endereço ser reativado; saem então por si. Contados até 1000.
    entregas_suspensas: int
    # Eventos de análises que o endereço recebe. Os da conta (conta.alterada) chegam sempre.
    eventos: List[Literal["analise.resultado", "analise.erro"]]
    # Sempre somente_leitura: a API mostra a configuração e não a altera.
    gestao: Literal["somente_leitura"]
    # A quem pedir que altere a configuração, em uma frase.
    observacao: str


class Webhook(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Para onde e como os eventos são enviados.
    webhook: WebhookWebhook


class EntregasAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _Entregas(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Tamanho de página que valeu para esta resposta.
    limit: int
    # Quantos itens foram pulados antes desta página.
    offset: int
    # true quando há itens depois desta página: peça a próxima com offset + limit.
    tem_mais: bool
    # As entregas desta página, da mais nova à mais antiga.
    entregas: List[Entrega]


class Entregas(_Entregas, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[EntregasAvisosItem]


class EntregaTentativasItem(TypedDict):
    # A partir de 1; vai em X-Service-Attempt.
    numero: int
    # Momento em que a tentativa terminou, UTC.
    em: str
    # O status que o seu receptor respondeu; null quando não respondeu.
    status_http: Optional[int]
    # Por que a tentativa falhou; null quando foi aceita. bloqueado: o endereço não é público, e nada foi enviado.
    falha: Optional[Literal["http_3xx", "http_4xx", "http_5xx", "timeout", "dns", "tls", "conexao", "bloqueado"]]
    # Quanto durou, em milissegundos.
    ms: int


class _Entrega(TypedDict):
    # O id do evento (evt_…), o mesmo que o corpo do evento traz: nunca muda.
    id: str
    # O tipo do evento.
    tipo: Literal["analise.resultado", "analise.erro"]
    # A análise de que o evento fala.
    analise_id: int
    # pendente: a próxima tentativa virá. entregue: aceito com 2xx. esgotada: a última tentativa falhou. suspensa: guardado até o endereço ser reativado. sem_destino: não havia endereço.
    situacao: Literal["pendente", "entregue", "esgotada", "suspensa", "sem_destino"]
    # As 12 últimas tentativas, da primeira à última.
    tentativas: List[EntregaTentativasItem]
    # Quando a próxima tentativa vence, UTC; null quando nenhuma virá por si.
    proxima_em: Optional[str]
    # Momento em que o evento aconteceu, UTC.
    criada_em: str


class Entrega(_Entrega, total=False):
    """Um evento, com as tentativas de entregá-lo."""

    # Só na lista do sandbox: o corpo do evento, byte a byte como cada tentativa o envia e assina. Serve para testar um receptor que não tem endereço público.
    corpo: str


class ReenvioAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _Reenvio(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    entrega: Entrega


class Reenvio(_Reenvio, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[ReenvioAvisosItem]


class ContaParceiro(TypedDict):
    """De quem é a chave; o limite de chamadas é dele."""

    # Identificador do parceiro.
    id: int
    # Nome do parceiro, como está no cadastro.
    nome: str


class ContaUnidade(TypedDict):
    """A unidade da chave: só o que foi criado nela é visível."""

    # Identificador da unidade.
    id: int
    # Nome da unidade, como está no cadastro.
    nome: str


class ContaConsultor(TypedDict):
    """O consultor a quem a chave está ligada; null quando a chave é da unidade inteira."""

    # Identificador do consultor.
    id: int
    # Nome do consultor, como está no cadastro.
    nome: str


class ContaChave(TypedDict):
    """A chave desta chamada."""

    # Começo da chave, que a reconhece sem revelá-la.
    prefixo: str
    # Momento em que o gestor criou a chave, UTC.
    criada_em: str


class ContaRetencao(TypedDict):
    """Depois de quanto tempo sem uso um lead é eliminado com as suas simulações; ausente onde nenhum é."""

    # No sandbox: dias sem uso até a eliminação do lead.
    sandbox_dias: int
    # Em produção: meses sem uso até a eliminação do lead.
    sem_analise_meses: int
    # Em produção: anos, no mínimo, depois do fim da última análise.
    apos_analise_anos: int
    # Dias antes, nos quais GET /v1/leads/{id} mostra expira_em.
    aviso_dias: int


class ContaValidacaoPassosItem(TypedDict):
    # Qual passo é; a página Antes da produção diz o que o mostra.
    passo: str
    # true quando o que está guardado mostra o passo.
    feito: bool
    # Momento do que mostra o passo, UTC: em um desfecho, o envio da análise; no webhook e no reenvio, a criação do evento. null enquanto falta.
    em: Optional[str]


class ContaValidacao(TypedDict):
    """O que falta tentar no sandbox para pedir a produção; ausente com uma chave de produção."""

    # true quando todos os passos foram feitos: peça então a chave de produção.
    pronta: bool
    # Os passos que a produção pede, na ordem do fluxo.
    passos: List[ContaValidacaoPassosItem]


class _Conta(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # De quem é a chave; o limite de chamadas é dele.
    parceiro: ContaParceiro
    # A unidade da chave: só o que foi criado nela é visível.
    unidade: ContaUnidade
    # O consultor a quem a chave está ligada; null quando a chave é da unidade inteira.
    consultor: Optional[ContaConsultor]
    # Onde a chave atua. sandbox: nada vai a bancos. producao: as análises vão aos bancos.
    ambiente: Literal["sandbox", "producao"]
    # O que a chave pode fazer; uma chave sem escopos definidos tem todos.
    escopos: List[Literal["leads", "simulacoes", "analises", "acompanhamento"]]
    # Chamadas por minuto que o parceiro pode fazer neste ambiente, por todas as suas chaves.
    limite_por_minuto: int
    # A chave desta chamada.
    chave: ContaChave
    # Momento da última mudança da conta do parceiro, UTC: chaves, endereço ou segredo do webhook, produção liberada. null quando não houve. O webhook do ambiente, se já havia, recebe de cada uma o evento conta.alterada.
    alterada_em: Optional[str]


class Conta(_Conta, total=False):
    # Depois de quanto tempo sem uso um lead é eliminado com as suas simulações; ausente onde nenhum é.
    retencao: ContaRetencao
    # O que falta tentar no sandbox para pedir a produção; ausente com uma chave de produção.
    validacao: ContaValidacao


class ErrosAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _Erros(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Tamanho de página que valeu para esta resposta.
    limit: int
    # Quantos itens foram pulados antes desta página.
    offset: int
    # true quando há itens depois desta página: peça a próxima com offset + limit.
    tem_mais: bool
    # As chamadas recusadas desta página, da mais nova à mais antiga.
    erros: List[ChamadaRecusada]


class Erros(_Erros, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[ErrosAvisosItem]


class ChamadaRecusada(TypedDict):
    # Momento da recusa, UTC.
    em: str
    # O método da chamada.
    metodo: str
    # A rota como a documentação a escreve; ids e valores não aparecem.
    rota: str
    # O status HTTP da resposta.
    status: int
    # O código da resposta.
    codigo: Literal["json_invalido", "campo_obrigatorio", "campo_invalido", "auth_invalid", "sem_permissao", "nao_encontrado", "rota_nao_encontrada", "metodo_nao_permitido", "idempotencia_em_andamento", "corpo_muito_grande", "tipo_nao_suportado", "banco_invalido", "consentimento_ausente", "idempotency_conflito", "divergencia_titular", "lead_nao_encontrado", "campo_nao_alteravel", "rate_limited", "erro_interno", "tempo_esgotado", "operador_falhou", "servico_indisponivel"]
    # Os campos que a resposta apontou, só pelo nome e no máximo 20; vazio quando não era de campos.
    campos: List[str]
    # O da resposta; informe-o ao suporte.
    request_id: str


class ReinicioAvisosItem(TypedDict):
    # Qual campo do pedido, com pontos até onde ele está; sequências de algarismos vêm mascaradas.
    campo: str
    # O que houve com o campo, em uma frase para pessoas.
    motivo: str


class _Reinicio(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Quantos leads da unidade foram retirados, com as suas simulações e análises.
    leads: int
    # true: havia mais leads do que uma chamada retira. Repita daqui a um minuto.
    restam: bool


class Reinicio(_Reinicio, total=False):
    # O que o pedido trouxe e não valeu como se poderia supor: campos desconhecidos, com o nome provável, campos sem efeito nesta chamada, endereços que não são os do cliente, e valores que parecem um engano. Até 20; ausente quando não há nada a dizer.
    avisos: List[ReinicioAvisosItem]


class Saude(TypedDict):
    # Sempre true em respostas 2xx; os erros não têm este campo.
    ok: Literal[True]
    # Versão da interface, a de info.version neste documento.
    version: str
    # Há quantos segundos está de pé o processo que respondeu; cada um conta o seu.
    uptime_s: int
    # Relógio do serviço, UTC.
    timestamp: str


class ErroCamposItem(TypedDict):
    # Qual campo, com pontos até onde ele está (bancos.0); parâmetros e cabeçalhos pelo seu nome.
    campo: str
    # O que há de errado com o campo e como corrigir, em uma frase para pessoas.
    motivo: str


class _Erro(TypedDict):
    # O que houve e como corrigir, em uma frase para pessoas; pode mudar. O programa decide por codigo.
    erro: str
    # Qual falha é: estável, e a lista é fechada na v1. É por ele que o programa decide.
    codigo: Literal["json_invalido", "campo_obrigatorio", "campo_invalido", "auth_invalid", "sem_permissao", "nao_encontrado", "rota_nao_encontrada", "metodo_nao_permitido", "idempotencia_em_andamento", "corpo_muito_grande", "tipo_nao_suportado", "banco_invalido", "consentimento_ausente", "idempotency_conflito", "divergencia_titular", "lead_nao_encontrado", "campo_nao_alteravel", "rate_limited", "erro_interno", "tempo_esgotado", "operador_falhou", "servico_indisponivel"]
    # Identifica a chamada para o suporte; igual ao cabeçalho X-Request-Id.
    request_id: str


class Erro(_Erro, total=False):
    """Corpo de toda resposta que não é 2xx."""

    # Todos os campos com esta falha, quando ela é de campos.
    campos: List[ErroCamposItem]


Oferta = Union[OfertaComPrecos, OfertaRecusada]
Event = Union[EventoResultado, EventoErro, EventoConta, EventoTeste]


T = TypeVar("T")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LOST = (500, 502, 503, 504)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """Uma resposta de sucesso. `replay`: é a original de uma chamada anterior com a mesma Idempotency-Key."""

    body: T
    status: int
    replay: bool
    request_id: str


class PartnerError(Exception):
    """Uma recusa. Decida por `failure["codigo"]` e informe `failure["request_id"]` ao suporte.

    `retry_after`: os segundos do Retry-After da resposta; None quando ela não o trouxe.
    """

    def __init__(self, status: int, failure: Erro, retry_after: Optional[int] = None) -> None:
        super().__init__(f"{status} {failure['codigo']}: {failure['erro']}")
        self.status = status
        self.failure = failure
        self.retry_after = retry_after

    def __reduce__(self) -> Any:
        return (PartnerError, (self.status, self.failure, self.retry_after))


class NetworkError(OSError):
    """Nenhuma resposta inteira chegou, em nenhuma das tentativas: conexão recusada, prazo esgotado, queda no meio.

    `cause`: o erro da última tentativa. `retry_is_safe`: se a mesma chamada, com a mesma `idempotency_key`, pode ser
    repetida sem que algo seja feito duas vezes. `idempotency_key`: a que a chamada levou, também quando o cliente a gerou.
    """

    def __init__(self, cause: Exception, retry_is_safe: bool, idempotency_key: Optional[str]) -> None:
        advice = "repita com a mesma Idempotency-Key" if idempotency_key else "repita"
        if not retry_is_safe:
            advice = "a chamada pode ter sido feita: confira antes de repetir"
        super().__init__(f"a rede falhou ({type(cause).__name__}: {cause}); {advice}")
        self.cause = cause
        self.retry_is_safe = retry_is_safe
        self.idempotency_key = idempotency_key

    def __reduce__(self) -> Any:
        return (NetworkError, (self.cause, self.retry_is_safe, self.idempotency_key))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


# As formas dos ids do caminho. Um texto de outra forma chamaria outra rota, como "../../sandbox/reinicio?".
_NUMBER_ID = ("[1-9][0-9]{0,15}", "deve ser um número inteiro positivo, como o que a criação devolveu")
_EVENT_ID = ("evt_[a-z2-7]{32}", "deve ser o id de um evento: evt_ e 32 letras e algarismos")


def _in_path(id: object, form: Tuple[str, str]) -> str:
    """O id como vai no caminho. ValueError, sem repetir o valor, quando não tem a forma de um id."""
    pattern, cure = form
    if not re.fullmatch(pattern, str(id)):
        raise ValueError(f"id {cure}")
    return urllib.parse.quote(str(id), safe="")


def _address(base_url: str) -> str:
    """O endereço sem a barra do fim. ValueError, sem repetir o valor, quando com ele uma chamada iria a outro lugar."""
    address = str(base_url).strip().rstrip("/")
    # Um ? ou # tomaria o caminho para si; um @ faria do nome um usuário.
    if not address or "://" not in address or re.search(r"[\s?#@\\]", address):
        raise ValueError("base_url: deve ser o endereço recebido com a chave, como https://api.exemplo.com.br")
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise ValueError("base_url: só https, para não expor a chave")
    return address


def _key_of(key: str) -> str:
    """A chave sem os espaços das pontas. ValueError quando um cabeçalho não a levaria; o erro de http.client a mostraria."""
    text = str(key).strip()
    if not re.fullmatch("pmc_[0-9A-Za-z_]+", text):
        raise ValueError("key: deve ser só a chave, que começa por pmc_: sem aspas, espaços nem outro texto")
    return text


def _json_of(value: object) -> object:
    """Um valor de um corpo que json não conhece, como a API o lê. ValueError quando a API não o leria."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("deve ser um número finito")
        return float(value)
    if isinstance(value, datetime) and value.utcoffset() is None:
        raise ValueError("o datetime precisa do fuso, como o de datetime.now(timezone.utc)")
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError(f"um corpo não leva {type(value).__name__}; passe-o como texto, número, lista ou dict")


def _json_body(body: Mapping[str, Any]) -> bytes:
    """O corpo em JSON. ValueError, com o nome do campo, quando a API não leria um valor dele."""
    # Um corpo que não é de campos, a API recusa com uma frase dela.
    for name, value in body.items() if isinstance(body, Mapping) else ():
        try:
            json.dumps(Decimal(value) if isinstance(value, float) else value, default=_json_of)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return json.dumps(body, default=_json_of).encode()


class _Transport:
    """Faz as chamadas. Repete, com a mesma Idempotency-Key, o que vale repetir: quedas da rede, 409 em andamento, 429 e
    5xx; de um POST sem chave, só 429.

    `attempts`: tentativas por chamada, a primeira incluída. `longest_wait`: a maior espera entre duas tentativas, em
    segundos; um Retry-After maior encerra a chamada. `timeout`: quantos segundos esperar por quem não responde.
    """

    def __init__(
        self, base_url: str, key: str, *, attempts: int = 5, longest_wait: float = 65, timeout: float = 35
    ) -> None:
        self._base_url, self._key = _address(base_url), _key_of(key)
        self._attempts, self._longest_wait, self._timeout = attempts, longest_wait, timeout
        self._opener = urllib.request.build_opener(_NoRedirects())

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, Any]] = None,
        keyed: Literal["none", "optional", "required"] = "none",
        idempotency_key: Union[str, uuid.UUID, None] = None,
    ) -> Answer[Any]:
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}{path}{'?' + urllib.parse.urlencode(given) if given else ''}"
        headers: Dict[str, str] = {}
        if keyed == "required" and not idempotency_key:
            raise ValueError("falta a idempotency_key: gere-a e guarde-a antes da chamada")
        # Um UUIDField do Django, por exemplo, dá um UUID.
        key = str(idempotency_key) if isinstance(idempotency_key, uuid.UUID) else idempotency_key
        if key is not None and not (isinstance(key, str) and re.fullmatch("[ -~]+", key)):
            raise ValueError("idempotency_key: deve ser um UUID ou um texto só de letras sem acento, algarismos e sinais, em uma linha")
        if keyed != "none":
            headers["Idempotency-Key"] = str(uuid.uuid4()) if key is None else key
        content: Optional[bytes] = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = _json_body(body)
        # Sem chave, um POST cuja resposta se perdeu pode ter sido feito.
        repeatable = keyed != "none" or method != "POST"
        for attempt in itertools.count(1):
            request = urllib.request.Request(url, content, headers, method=method)
            wait: Optional[int] = None
            try:
                return self._send(request)
            except urllib.error.HTTPError as answer:
                failure = _failure_of(answer)
                again = answer.code == 429 or failure["codigo"] == "idempotencia_em_andamento"
                again = again or (repeatable and answer.code in _LOST)
                told = answer.headers.get("Retry-After", "")
                # Só segundos: um proxy pode escrever uma data.
                wait = int(told) if re.fullmatch("[0-9]{1,9}", told) else None
                error: Exception = PartnerError(answer.code, failure, wait)
            except (OSError, http.client.HTTPException) as broken:
                reason = broken.reason if isinstance(broken, urllib.error.URLError) else broken
                # Sem os passos de urllib, cujas variáveis têm a chave: um relatório de erros as mostraria.
                cause = (reason if isinstance(reason, Exception) else broken).with_traceback(None)
                cause.__cause__ = cause.__context__ = None
                again, error = repeatable, NetworkError(cause, repeatable, headers.get("Idempotency-Key"))
                error.__cause__ = cause
            seconds = random.random() * 0.5 * 2**attempt if wait is None else wait
            if not again or attempt >= self._attempts or seconds > self._longest_wait:
                raise error
            time.sleep(seconds)
        raise AssertionError

    def _send(self, request: urllib.request.Request) -> Answer[Any]:
        # Não em _call: um relatório de erros mostra as variáveis da função que lança.
        request.add_header("X-API-Key", self._key)
        with self._opener.open(request, timeout=self._timeout) as response:
            content: bytes = response.read()
            headers = response.headers
            replay, request_id = headers.get("Idempotent-Replay") == "true", headers.get("X-Request-Id", "")
            if headers.get_content_type() == "application/pdf":
                return Answer(content, response.status, replay, request_id)
            if headers.get_content_type() != "application/json":
                raise PartnerError(response.status, _none(request_id))  # de um proxy
            try:
                return Answer(json.loads(content), response.status, replay, request_id)
            except ValueError as cut:
                raise http.client.IncompleteRead(content) from cut

    def _pages(
        self, page: Callable[[int], Mapping[str, Any]], items: str, item_id: str, filtered: bool = False
    ) -> Iterator[Any]:
        # Um item que entra na lista entre duas páginas empurra os outros: o último de uma vem de novo na seguinte.
        # Com um filtro de situacao, reenviar um item o tira do filtro, e a página seguinte pularia outro: todas são lidas
        # antes do primeiro item.
        seen: Set[object] = set()
        kept: List[Any] = []
        offset = 0
        while True:
            body = page(offset)
            for item in body[items]:
                own = item.get(item_id)
                if own is None or own not in seen:
                    if filtered:
                        kept.append(item)
                    else:
                        yield item
                seen.add(own)
            # Not by what came: a page may have fewer items than its limit, and more behind it.
            offset += body["limit"]
            if not body["tem_mais"]:
                break
        yield from kept


def _failure_of(answer: urllib.error.HTTPError) -> Erro:
    request_id = answer.headers.get("X-Request-Id", "")
    try:
        with answer:
            found: Erro = json.loads(answer.read())
        found["codigo"], found["erro"]
        return found
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return _none(request_id)


def _none(request_id: str) -> Erro:
    return {"erro": "A resposta não é do serviço.", "codigo": "erro_interno", "request_id": request_id}


class WebhookError(ValueError):
    """O que verify_webhook recusa: um argumento de outra forma, uma assinatura que não vale, um evento de outro momento."""


def _webhook_body(body: object) -> bytes:
    """Os bytes do corpo. WebhookError quando não há nenhum, e quando veio o que um leitor de JSON fez deles."""
    text = body.encode("utf-8", "replace") if isinstance(body, str) else body
    content = bytes(text) if isinstance(text, (bytes, bytearray, memoryview)) else b""
    if content:
        return content
    raise WebhookError("body: deve ser os bytes do corpo como chegaram, nem vazio nem já lido como JSON")


class _Headers(Protocol):
    """Os cabeçalhos de um pedido, como um dict, o headers do Flask ou o do Django."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


def _webhook_headers(headers: Any) -> Dict[str, str]:
    """Os cabeçalhos, pelo nome em minúsculas. WebhookError quando falta um que todo evento tem."""
    found: Dict[str, str] = {}
    try:
        for name, value in headers.items():
            if isinstance(name, str) and isinstance(value, str):
                found[name.lower()] = value
    except (AttributeError, TypeError, ValueError):
        found = {}
    needed = ("webhook-id", "webhook-timestamp", "webhook-signature", "x-service-signature")
    missing = [name for name in needed if not found.get(name)]
    if not missing:
        return found
    cure = "passe os do pedido (request.headers), nome e valor em texto: não META do Django, nem bytes do ASGI, nem um Map"
    raise WebhookError(f"headers: falta {', '.join(missing)}; {cure}")


def _webhook_secrets(secrets: object) -> List[str]:
    """Os segredos sem os espaços das pontas. WebhookError quando um não é um segredo: com um vazio, qualquer um assinaria."""
    given = list(secrets) if isinstance(secrets, (list, tuple, set, frozenset)) else [secrets]
    held = [secret.strip() if isinstance(secret, str) else secret for secret in given]
    if not held or any(secret is None or secret == "" for secret in held):
        raise WebhookError("secrets: falta o segredo do webhook; confira a variável ou o arquivo de que ele vem")
    form = "whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)"
    valid = [secret for secret in held if isinstance(secret, str) and re.fullmatch(form, secret)]
    if len(valid) < len(held):
        raise WebhookError(
            "secrets: deve ser só o segredo do webhook, inteiro, que começa por whsec_: sem aspas nem outro texto"
        )
    return valid


def verify_webhook(
    body: Union[bytes, str], headers: _Headers, secrets: Union[str, Sequence[str]], now: Optional[float] = None
) -> Event:
    """Verifica as duas assinaturas de um evento e o devolve. WebhookError quando uma não vale, quando o evento não é dos
    últimos 5 minutos, e, antes de qualquer conta, quando um argumento tem outra forma.

    `body`: os bytes como chegaram, antes de qualquer json.loads. `secrets`: o segredo em vigor; numa troca, os dois.
    `now`: segundos desde 1970, como os de time.time().
    """
    content, found, held = _webhook_body(body), _webhook_headers(headers), _webhook_secrets(secrets)
    present: object = time.time() if now is None else now
    # Mais que 1e11 é um momento em milissegundos.
    if not isinstance(present, (int, float)) or not 0 <= present < 1e11:
        raise WebhookError("now: deve ser o momento em número, milissegundos em TypeScript e segundos em Python")
    moment = found["webhook-timestamp"]
    if not re.fullmatch("[0-9]{1,15}", moment) or abs(present - int(moment)) > 300:
        raise WebhookError("o webhook não é dos últimos 5 minutos")
    service = [found.get(name, "") for name in ("x-service-signature", "x-service-signature-anterior")]
    standard = found["webhook-signature"].split()
    signed = f"{found['webhook-id']}.{moment}.".encode("utf-8", "replace") + content

    def holds(received: Sequence[str], expected: Callable[[str], str]) -> bool:
        pairs = itertools.product(held, received)
        return any(
            hmac.compare_digest(one.encode("utf-8", "replace"), expected(secret).encode()) for secret, one in pairs
        )

    def simple(secret: str) -> str:
        return "sha256=" + hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()

    def standardised(secret: str) -> str:
        key = base64.b64decode(secret[len("whsec_") :])
        return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    if not holds(service, simple) or not holds(standard, standardised):
        raise WebhookError("a assinatura do webhook não vale")
    event: Event = json.loads(content)
    return event


class PartnerClient(_Transport):
    """As operações da API. Cada chamada devolve uma Answer, ou lança PartnerError quando a API recusa e
    NetworkError quando não chega resposta inteira.
    """

    def create_lead(self, body: LeadNovo, *, idempotency_key: Union[str, uuid.UUID, None] = None) -> Answer[LeadCriado]:
        """Criar ou reaproveitar um lead."""
        return self._call("POST", "/v1/leads", body=body, keyed="optional", idempotency_key=idempotency_key)

    def get_lead(self, id: int) -> Answer[LeadConsultado]:
        """Consultar um lead."""
        return self._call("GET", f"/v1/leads/{_in_path(id, _NUMBER_ID)}")

    def update_lead(self, id: int, body: Optional[LeadAlteracao] = None) -> Answer[LeadAlterado]:
        """Alterar um lead."""
        return self._call("PATCH", f"/v1/leads/{_in_path(id, _NUMBER_ID)}", body=body)

    def create_simulation(self, body: SimulacaoNova, *, idempotency_key: Union[str, uuid.UUID, None] = None) -> Answer[SimulacaoCriada]:
        """Simular em um ou mais bancos."""
        return self._call("POST", "/v1/simulacoes", body=body, keyed="optional", idempotency_key=idempotency_key)

    def get_simulation(self, id: int) -> Answer[SimulacaoConsultada]:
        """Consultar uma simulação."""
        return self._call("GET", f"/v1/simulacoes/{_in_path(id, _NUMBER_ID)}")

    def get_simulation_instalments(self, id: int) -> Answer[Parcelas]:
        """Consultar as parcelas de uma simulação."""
        return self._call("GET", f"/v1/simulacoes/{_in_path(id, _NUMBER_ID)}/parcelas")

    def get_simulation_pdf(self, id: int) -> Answer[bytes]:
        """Baixar o PDF de uma simulação."""
        return self._call("GET", f"/v1/simulacoes/{_in_path(id, _NUMBER_ID)}/pdf")

    def get_simulation_comparison(self, id: int) -> Answer[bytes]:
        """Baixar o comparativo de uma oportunidade."""
        return self._call("GET", f"/v1/simulacoes/{_in_path(id, _NUMBER_ID)}/comparativo")

    def submit_analyses(self, body: AnaliseNova, *, idempotency_key: Union[str, uuid.UUID]) -> Answer[AnalisesAceitas]:
        """Submeter análises de crédito."""
        return self._call("POST", "/v1/analises", body=body, keyed="required", idempotency_key=idempotency_key)

    def get_analysis_status(self, id: int) -> Answer[AnaliseSituacao]:
        """Acompanhar uma análise."""
        return self._call("GET", f"/v1/analises/{_in_path(id, _NUMBER_ID)}/status")

    def list_lead_analyses(self, id: int, *, limit: Optional[int] = None, offset: Optional[int] = None) -> Answer[AnalisesDoLead]:
        """Listar as análises de um lead."""
        return self._call("GET", f"/v1/leads/{_in_path(id, _NUMBER_ID)}/analises", query={"limit": limit, "offset": offset})

    def iter_lead_analyses(self, id: int, *, limit: Optional[int] = None) -> Iterator[AnalisesDoLeadAnalisesItem]:
        """Listar as análises de um lead: um item por vez, por todas as páginas, cada um uma vez."""
        return self._pages(lambda offset: self.list_lead_analyses(id, limit=limit, offset=offset).body, "analises", "analise_id")

    def list_lead_consents(self, id: int, *, limit: Optional[int] = None, offset: Optional[int] = None) -> Answer[Consentimentos]:
        """Listar os consentimentos de um lead."""
        return self._call("GET", f"/v1/leads/{_in_path(id, _NUMBER_ID)}/consentimentos", query={"limit": limit, "offset": offset})

    def iter_lead_consents(self, id: int, *, limit: Optional[int] = None) -> Iterator[Consentimento]:
        """Listar os consentimentos de um lead: um item por vez, por todas as páginas, cada um uma vez."""
        return self._pages(lambda offset: self.list_lead_consents(id, limit=limit, offset=offset).body, "consentimentos", "id")

    def withdraw_consent(self, id: int, body: RevogacaoNova, *, idempotency_key: Union[str, uuid.UUID, None] = None) -> Answer[RevogacaoRegistrada]:
        """Registrar que o titular revogou o consentimento."""
        return self._call("POST", f"/v1/leads/{_in_path(id, _NUMBER_ID)}/consentimentos/revogacao", body=body, keyed="optional", idempotency_key=idempotency_key)

    def get_webhook(self) -> Answer[Webhook]:
        """Consultar a configuração do webhook."""
        return self._call("GET", "/v1/webhooks")

    def list_own_deliveries(self, *, limit: Optional[int] = None, offset: Optional[int] = None, situacao: Optional[Literal["pendente", "entregue", "esgotada", "suspensa", "sem_destino"]] = None, analise_id: Optional[int] = None) -> Answer[Entregas]:
        """Listar as entregas de eventos."""
        return self._call("GET", "/v1/webhooks/entregas", query={"limit": limit, "offset": offset, "situacao": situacao, "analise_id": analise_id})

    def iter_own_deliveries(self, *, limit: Optional[int] = None, situacao: Optional[Literal["pendente", "entregue", "esgotada", "suspensa", "sem_destino"]] = None, analise_id: Optional[int] = None) -> Iterator[Entrega]:
        """Listar as entregas de eventos: um item por vez, por todas as páginas, cada um uma vez."""
        return self._pages(lambda offset: self.list_own_deliveries(limit=limit, situacao=situacao, analise_id=analise_id, offset=offset).body, "entregas", "id", situacao is not None)

    def resend_delivery(self, id: str) -> Answer[Reenvio]:
        """Reenviar um evento."""
        return self._call("POST", f"/v1/webhooks/entregas/{_in_path(id, _EVENT_ID)}/reenvio")

    def get_account(self) -> Answer[Conta]:
        """Consultar a própria conta."""
        return self._call("GET", "/v1/me")

    def list_refused_calls(self, *, limit: Optional[int] = None, offset: Optional[int] = None) -> Answer[Erros]:
        """Ver as próprias chamadas recusadas."""
        return self._call("GET", "/v1/erros", query={"limit": limit, "offset": offset})

    def iter_refused_calls(self, *, limit: Optional[int] = None) -> Iterator[ChamadaRecusada]:
        """Ver as próprias chamadas recusadas: um item por vez, por todas as páginas, cada um uma vez."""
        return self._pages(lambda offset: self.list_refused_calls(limit=limit, offset=offset).body, "erros", "request_id")

    def reset_sandbox(self) -> Answer[Reinicio]:
        """Recomeçar o sandbox."""
        return self._call("POST", "/v1/sandbox/reinicio")

    def get_health(self) -> Answer[Saude]:
        """Saber se o serviço está de pé."""
        return self._call("GET", "/health")


# O que "import *" traz: nada dos módulos usados aqui, como datetime.
__all__ = ["LeadNovo","LeadAlteracao","SimulacaoNova","SegundoProponente","Fgts","AnaliseNova","RevogacaoNova","EventoResultadoData","EventoResultado","EventoErroData","EventoErro","EventoContaData","EventoConta","EventoTesteData","EventoTeste","LeadCriadoAvisosItem","LeadCriado","LeadConsultado","Lead","LeadAlteradoAvisosItem","LeadAlterado","SimulacaoCriadaResultado","SimulacaoCriadaAvisosItem","SimulacaoCriada","OfertaComPrecos","OfertaRecusada","PropostaPossivel","SimulacaoConsultada","SimulacaoCliente","SimulacaoSegundoProponente","SimulacaoValores","SimulacaoTaxas","SimulacaoParcelas","SimulacaoCustos","SimulacaoComposicaoPrimeiraParcela","SimulacaoOutrasItem","Simulacao","Projecao","Parcelas","Parcela","AnalisesAceitasAnalisesItem","AnalisesAceitasAvisosItem","AnalisesAceitas","AnaliseSituacaoAnalise","AnaliseSituacao","AnalisesDoLeadAvisosItem","AnalisesDoLeadAnalisesItem","AnalisesDoLead","ConsentimentosAvisosItem","ConsentimentosRevogacoesItem","Consentimentos","Consentimento","RevogacaoRegistradaRevogacao","RevogacaoRegistradaAnalisesItem","RevogacaoRegistradaAvisosItem","RevogacaoRegistrada","WebhookWebhook","Webhook","EntregasAvisosItem","Entregas","EntregaTentativasItem","Entrega","ReenvioAvisosItem","Reenvio","ContaParceiro","ContaUnidade","ContaConsultor","ContaChave","ContaRetencao","ContaValidacaoPassosItem","ContaValidacao","Conta","ErrosAvisosItem","Erros","ChamadaRecusada","ReinicioAvisosItem","Reinicio","Saude","ErroCamposItem","Erro","Oferta","Event","Answer","NetworkError","PartnerClient","PartnerError","WebhookError","verify_webhook"]
