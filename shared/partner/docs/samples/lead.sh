LEAD=$(curl -sS "$BASE_URL/v1/leads" \
  -H "X-API-Key: $CHAVE" \
  -H "Content-Type: application/json" \
  -d '{
    "nome": "Beatriz Nogueira Prado",
    "cpf": "900.000.002-56",
    "data_nascimento": "1988-03-14",
    "renda": 18000,
    "telefone": "(11) 90000-0002",
    "email": "beatriz.prado@example.com"
  }')
echo "$LEAD"
LEAD_ID=$(echo "$LEAD" | campo lead_id)
