SIMULACAO=$(curl -sS "$BASE_URL/v1/simulacoes" \
  -H "X-API-Key: $CHAVE" \
  -H "Content-Type: application/json" \
  -d '{
    "lead_id": '"$LEAD_ID"',
    "renda": 18000,
    "valor_imovel": 500000,
    "valor_financiado": 250000,
    "prazo": 240,
    "bancos": ["bradesco", "itau", "santander", "inter", "brb", "cashme"]
  }')
echo "$SIMULACAO"
SIMULACAO_ID=$(echo "$SIMULACAO" | campo simulacao_id)
