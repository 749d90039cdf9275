PEDIDO="pedido-$(date +%s)-$RANDOM"
PROPOSTA='{
  "lead_id": '"$LEAD_ID"',
  "consentimento": true,
  "consentimento_timestamp": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'",
  "consentimento_ip": "203.0.113.25",
  "consentimento_canal": "web",
  "nome": "Beatriz Nogueira Prado",
  "cpf": "900.000.002-56",
  "data_nascimento": "1988-03-14",
  "renda": 18000,
  "sexo": "F",
  "estado_civil": "solteiro",
  "nome_mae": "Helena Nogueira Prado",
  "email": "beatriz.prado@example.com",
  "profissao": "Engenheira",
  "empresa": "Empresa Exemplo Ltda.",
  "rg": "12.345.678-9",
  "rg_orgao": "SSP",
  "rg_uf": "SP",
  "rg_emissao": "2006-05-02",
  "cep": "01310-100",
  "logradouro": "Avenida Paulista",
  "numero": "1000",
  "bairro": "Bela Vista",
  "municipio": "São Paulo",
  "uf": "SP",
  "valor_imovel": 500000,
  "valor_financiado": 250000,
  "prazo": 240,
  "bancos": ["itau", "bradesco"]
}'
ANALISES=$(curl -sS "$BASE_URL/v1/analises" \
  -H "X-API-Key: $CHAVE" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $PEDIDO" \
  -d "$PROPOSTA")
echo "$ANALISES"
