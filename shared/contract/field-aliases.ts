// Other names under which people send fields. They are plain: no upper case, accents or punctuation.

/**
 * The key is the field that the names mean. If the key has several fields, the first that the schema has counts. No
 * name may occur twice: the later entry would replace the first.
 */
export const NAMES: Readonly<Record<string, string>> = {
  nome: 'name nomecompleto fullname customername clientname nomecliente nometitular',
  cpf: 'taxid document documento cpfcnpj cpfcliente cpftitular documentnumber numerocpf',
  telefone: 'phone phonenumber celular cellphone mobile fone tel whatsapp telefonecelular',
  email: 'mail emailaddress correio enderecoemail',
  data_nascimento: 'birthdate dateofbirth birthday dob nascimento dtnascimento datanasc nascidoem',
  renda: 'income salary salario rendamensal rendabruta rendafamiliar monthlyincome rendatitular',
  estado_civil: 'maritalstatus civilstatus civil',
  origem: 'source origin utmsource fonte canalorigem',
  observacao: 'note notes comment comments observacoes obs anotacao',
  sexo: 'gender sex genero',
  nome_mae: 'mothername mothersname mae nomedamae filiacao',
  profissao: 'occupation profession job cargo',
  empresa: 'company employer empregador',
  rg: 'idnumber identidade numerorg rgnumero',
  rg_orgao: 'rgissuer orgaoemissor rgorgaoemissor orgaorg',
  rg_uf: 'rgestado rgstate ufrg',
  rg_emissao: 'dataemissao rgdataemissao rgissuedate emissaorg dataemissaorg',
  cep: 'zip zipcode postalcode postcode codigopostal',
  logradouro: 'street rua endereco address',
  numero: 'number num streetnumber',
  bairro: 'neighborhood neighbourhood district',
  municipio: 'city cidade',
  uf: 'state estado ufimovel',
  conjuge_nome: 'spousename nomeconjuge',
  conjuge_cpf: 'spousecpf cpfconjuge',
  'conjuge_data_nascimento segundo_proponente.data_nascimento': 'spousebirthdate nascimentoconjuge conjugenascimento',
  'conjuge_renda segundo_proponente.renda': 'spouseincome rendaconjuge conjugerenda',
  consentimento: 'consent aceite consentido autorizacao',
  consentimento_timestamp: 'consenttimestamp consentat consentdate consentimentoem dataconsentimento timestamp',
  consentimento_ip: 'consentip ip ipaddress enderecoip',
  consentimento_canal: 'consentchannel channel canal',
  consentimento_versao: 'consentversion textversion versao versaotermo versaoconsentimento',
  lead_id: 'id lead customerid clienteid idlead idcliente simulacaoid idsimulacao simulationid',
  valor_imovel: 'propertyvalue propertyprice price preco valorcompra valordobem valorvenda valorbem',
  valor_financiado:
    'loanamount loanvalue financedamount financedvalue principal valoremprestimo valorfinanciamento valorcredito',
  prazo:
    'prazomeses prazoemmeses term termmonths months meses parcelas numeroparcelas qtdparcelas installments instalments',
  tipo_amortizacao: 'sistemaamortizacao amortizacao amortization amortizationtype amortizationsystem sistema tabela',
  sistemas: 'systems amortizationsystems sistemasamortizacao tiposamortizacao',
  financiar_despesas: 'financeexpenses financiaritbi financiarcustos despesas incluirdespesas',
  segmento: 'segment categoria',
  finalidade: 'purpose tipoimovel usoimovel propertytype',
  segundo_proponente: 'coborrower secondborrower coproponente proponente2 segundotitular conjuge spouse',
  participacao: 'share percentual percentage',
  bancos: 'bank banks banco bancoid bancosids bankid bankids idbanco',
  valor: 'value valorfgts',
  limit: 'limite perpage pagesize size take tamanho top',
  offset: 'skip start inicio deslocamento',
  cursor: 'offset after proximocursor nextcursor',
  atualizada_desde: 'since desde updatedsince updatedafter atualizadoem',
  situacao: 'status situation',
  analise_id: 'analysisid idanalise analise',
  'valor_financiado valor': 'amount',
};

/**
 * Fields that a name may mean: the first field that the body's schema has. A field inside an object is a dotted path.
 */
export const ALIASES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(NAMES).flatMap(([targets, names]) =>
    names.split(' ').map((name) => [name, targets.split(' ')] as const),
  ),
);

/**
 * In a body with `logradouro`, `uf` is the state of the residence. A suggestion of `uf` for the property's state would
 * lead to a wrong address.
 */
export const MEANINGLESS_NEXT_TO: ReadonlyMap<string, string> = new Map([['ufimovel', 'logradouro']]);

export const BELONGS_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['idempotencykey', 'a chave de idempotência vai no cabeçalho Idempotency-Key'],
  ['chaveidempotencia', 'a chave de idempotência vai no cabeçalho Idempotency-Key'],
  ['apikey', 'a chave vai no cabeçalho X-API-Key'],
  ['token', 'a chave vai no cabeçalho X-API-Key'],
  ['webhookurl', 'o endereço dos webhooks é configurado pelo gestor'],
  ['callbackurl', 'o endereço dos webhooks é configurado pelo gestor'],
  ['entrada', 'a entrada é valor_imovel menos valor_financiado'],
  ['downpayment', 'a entrada é valor_imovel menos valor_financiado'],
  ['valorentrada', 'a entrada é valor_imovel menos valor_financiado'],
  ['page', 'não há páginas por número; use limit e offset'],
  ['pagina', 'não há páginas por número; use limit e offset'],
  ['cursor', 'não há cursor; use limit e offset'],
  ['complemento', 'o complemento cabe em numero'],
]);
