curl -sS -D - "$BASE_URL/v1/analises" \
  -H "X-API-Key: $CHAVE" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: $PEDIDO" \
  -d "$PROPOSTA"
