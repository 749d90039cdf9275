import base64, hashlib, hmac, time
def mac(chave, dados): return hmac.new(chave, dados, hashlib.sha256)
def iguais(a, b): return hmac.compare_digest(a.encode(), b.encode())
# cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram, antes de qualquer json.loads
def verificar(segredo, cabecalhos, corpo, agora=None):
    inicio = f"{cabecalhos.get('webhook-id')}.{cabecalhos.get('webhook-timestamp')}."
    simples = "sha256=" + mac(segredo.encode(), corpo).hexdigest()
    padrao = mac(base64.b64decode(segredo[6:]), inicio.encode() + corpo).digest()
    recebidas = [cabecalhos.get(nome, "") for nome in ("x-service-signature", "x-service-signature-anterior")]
    return (any(iguais(uma, simples) for uma in recebidas)
        and any(iguais(uma, "v1," + base64.b64encode(padrao).decode()) for uma in cabecalhos.get("webhook-signature", "").split())
        and abs((agora or time.time()) - int(cabecalhos.get("webhook-timestamp", 0))) <= 300)
