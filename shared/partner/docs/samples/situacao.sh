for ANALISE_ID in $(echo "$ANALISES" | grep -o '"analise_id":[0-9]*' | cut -d : -f 2); do
  while :; do
    SITUACAO=$(curl -sS "$BASE_URL/v1/analises/$ANALISE_ID/status" -H "X-API-Key: $CHAVE")
    [ "$(echo "$SITUACAO" | campo pendente)" = true ] || break
    sleep 5
  done
  echo "$SITUACAO"
done
