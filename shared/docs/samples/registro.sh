curl -sS "$BASE_URL/v1/simulacoes/$SIMULACAO_ID" -H "X-API-Key: $CHAVE"
curl -sS "$BASE_URL/v1/simulacoes/$SIMULACAO_ID/parcelas" -H "X-API-Key: $CHAVE" | head -c 600
mkdir -p integracao
curl -sS "$BASE_URL/v1/simulacoes/$SIMULACAO_ID/pdf" -H "X-API-Key: $CHAVE" -o integracao/simulacao.pdf
