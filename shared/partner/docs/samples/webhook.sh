sleep 5
cat integracao/webhooks.txt
kill "$RECEPTOR"
