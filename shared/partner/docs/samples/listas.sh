curl -sS -w '\n' "$BASE_URL/v1/leads/$LEAD_ID/analises?limit=20" -H "X-API-Key: $CHAVE"
curl -sS -w '\n' "$BASE_URL/v1/leads/$LEAD_ID/consentimentos" -H "X-API-Key: $CHAVE"
