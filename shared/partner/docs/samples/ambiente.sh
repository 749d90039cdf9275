export BASE_URL="https://api.exemplo.com.br"
export CHAVE="pmc_sandbox_cole_aqui_a_sua_chave"

# Lê um campo de uma resposta JSON sem instalar nada.
campo() { grep -o "\"$1\": *[^,}]*" | head -n 1 | cut -d : -f 2- | tr -d '" '; }
