export SEGREDO="${SEGREDO:-whsec_cole_aqui_o_seu_segredo}"
export PORTA="${PORTA:-8080}"
mkdir -p integracao
curl -sS "$BASE_URL/docs/verificar.mjs" -o integracao/verificar.mjs
curl -sS "$BASE_URL/docs/receptor.mjs" -o integracao/receptor.mjs
(cd integracao && exec node receptor.mjs > webhooks.txt) &
RECEPTOR=$!
