export SEGREDO=$(campo secret < .local/service.json)
PARCEIRO_ID=$(curl -sS "$BASE_URL/v1/me" -H "X-API-Key: $CHAVE" | grep -o '"parceiro":{[^}]*' | campo id)
npm run -s manager -- --local webhook set --partner "$PARCEIRO_ID" --url "http://127.0.0.1:${PORTA:-8080}/"
