import base64, hmac, re, time

# cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos
def verificar(segredo, cabecalhos, corpo, agora=None):
    if not re.match(r"whsec_\S", segredo): return False  # um vazio é de todos
    momento = cabecalhos.get("webhook-timestamp")
    assinado = f"{cabecalhos.get('webhook-id')}.{momento}.".encode() + corpo
    chave = base64.b64decode(segredo.removeprefix("whsec_"))
    padrao = hmac.digest(chave, assinado, "sha256")
    simples = hmac.digest(segredo.encode(), corpo, "sha256")
    atual = cabecalhos.get("x-service-signature", "")
    anterior = cabecalhos.get("x-service-signature-anterior", "")
    do_padrao = cabecalhos.get("webhook-signature", "").split()
    return (contem([atual, anterior], "sha256=" + simples.hex())
        and contem(do_padrao, "v1," + base64.b64encode(padrao).decode())
        and abs((agora or time.time()) - int(momento)) <= 300)

def contem(todas, certa):  # em tempo constante
    return any([hmac.compare_digest(uma.encode(), certa.encode()) for uma in todas])
