/** Texts from outside that contain personal data, each with the text that may be kept. */
export const PERSONAL_TEXTS: readonly (readonly [text: string, kept: string])[] = [
  ['Reprovado: CPF 529.982.247-25', 'Reprovado: CPF ***'],
  ['Pendente: falta e-mail marina.alves+casa@example.com.br, avise', 'Pendente: falta e-mail ***, avise'],
  ['Em análise, ligar (11) 98888-7777', 'Em análise, ligar ***'],
  ['Em análise, ligar +55 11 98888-7777.', 'Em análise, ligar ***.'],
  ['Em análise, ligar 11988887777 ou 98888-7777', 'Em análise, ligar *** ou ***'],
  ['Pendente: RG 12.345.678-9 ilegível', 'Pendente: RG *** ilegível'],
  ['Pendente: rg nº 4455667 SSP', 'Pendente: rg nº *** SSP'],
  ['Pendente: MG-12.345.678 vencida', 'Pendente: *** vencida'],
  ['Pendente: mar\u200bina@example\u00ad.com, ligar 98888\u200b-7777', 'Pendente: ***, ligar ***'],
  // These contain no personal data.
  [
    'Aprovado (c/ seguro), 80% de R$ 1.500.000,00 [mesa] | nº 12',
    'Aprovado (c/ seguro), 80% de R$ 1.500.000,00 [mesa] | nº 12',
  ],
  ['Recebido em 23/11/2026 10:30, proposta 12345678901', 'Recebido em 23/11/2026 10:30, proposta 12345678901'],
  ['Aprova\u00addo\u0000 \u{1F600}', 'Aprovado? ?'],
];

/** Failure pages of a receiver with names that the attempt does not know, each with the text that may be kept. */
export const PERSONAL_PAGES: readonly (readonly [text: string, kept: string])[] = [
  ['Erro Interno: cliente Marina Duarte Alves não encontrado', 'Erro Interno: cliente *** *** *** não encontrado'],
  [
    '{"erro":"duplicado","nome_mae":"lúcia de souza","cpf":"529.982.247-25"}',
    '{"erro":"duplicado","nome_mae":"***","cpf":"***"}',
  ],
  ['MARINA DUARTE DE ALVES', '*** *** *** ***'],
  ["Key (customer_name)=(Ana D'Ávila e Silva)", 'Key (customer_name)=(*** *** e ***)'],
  ['cônjuge: caio prado; titular = ANA', 'cônjuge: ***; titular = ***'],
  ['Mari\u200bna Duarte', '*** ***'],
  // These name nobody.
  ['{"name":"ValidationError"}', '{"name":"ValidationError"}'],
  ['<h1>502 Bad Gateway</h1> nginx', '<h1>502 Bad Gateway</h1> nginx'],
  ['HTTP Status 500 – Internal Server Error', 'HTTP Status 500 – Internal Server Error'],
  ['TypeError: Cannot read properties of undefined', 'TypeError: Cannot read properties of undefined'],
  [
    'Apache Tomcat, Symfony Exception: Whitelabel Error Page',
    'Apache Tomcat, Symfony Exception: Whitelabel Error Page',
  ],
  ['Microsoft IIS: Site Temporarily Unavailable', 'Microsoft IIS: Site Temporarily Unavailable'],
  ['Assinatura Inválida. Tempo Esgotado.', 'Assinatura Inválida. Tempo Esgotado.'],
];
