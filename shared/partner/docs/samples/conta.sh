curl -sS -w '\n' "$BASE_URL/v1/me" -H "X-API-Key: $CHAVE"
