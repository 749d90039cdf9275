mkdir -p integracao
curl -sS -w '\n' "$BASE_URL/v1/simulacoes/$SIMULACAO_ID" -H "X-API-Key: $CHAVE"
curl -sS "$BASE_URL/v1/simulacoes/$SIMULACAO_ID/parcelas" -H "X-API-Key: $CHAVE" -o integracao/parcelas.json
curl -sS "$BASE_URL/v1/simulacoes/$SIMULACAO_ID/pdf" -H "X-API-Key: $CHAVE" -o integracao/simulacao.pdf
ls -l integracao
