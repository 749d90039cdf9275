import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from verificar import verificar

vistos = set()

class Receptor(BaseHTTPRequestHandler):
    def do_POST(self):
        corpo = self.rfile.read(int(self.headers["Content-Length"]))
        cabecalhos = {nome.lower(): valor for nome, valor in self.headers.items()}
        valido = verificar(os.environ["SEGREDO"], cabecalhos, corpo)
        self.send_response(200 if valido else 401)  # primeiro responda, depois processe
        self.end_headers()
        evento = json.loads(corpo) if valido else {"id": None}
        if evento["id"] and evento["id"] not in vistos:  # um evento pode chegar mais de uma vez
            vistos.add(evento["id"])
            dados = evento.get("data", {})
            fim = f"{dados['analise_id']} {dados['situacao']}" if "analise_id" in dados else "descartado"
            print("verificado:", evento["type"], fim, flush=True)

HTTPServer(("", int(os.environ["PORTA"])), Receptor).serve_forever()
