import json, os
from http.server import BaseHTTPRequestHandler, HTTPServer
from verificar import verificar

vistos = set()

class Receptor(BaseHTTPRequestHandler):
    def do_POST(self):
        corpo = self.rfile.read(int(self.headers["Content-Length"]))
        if not verificar(os.environ["SEGREDO"], self.headers, corpo):
            return self.send_error(401)
        self.send_response(200)
        self.end_headers()  # primeiro responda, depois processe
        evento = json.loads(corpo)
        tipo, dados = evento["type"], evento["data"]
        if evento["id"] not in vistos and tipo.startswith("analise."):
            vistos.add(evento["id"])  # um evento pode chegar mais de uma vez
            print("verificado:", tipo, dados["analise_id"], dados["situacao"])

HTTPServer(("", int(os.environ["PORTA"])), Receptor).serve_forever()
