import json, os, sqlite3
from http.server import BaseHTTPRequestHandler, HTTPServer
from verificar import verificar

banco = sqlite3.connect("eventos.db", isolation_level=None)  # grava a cada comando
banco.execute("CREATE TABLE IF NOT EXISTS eventos (id PRIMARY KEY, corpo, feito)")

def processar():
    novos = banco.execute("SELECT id, corpo FROM eventos WHERE feito IS NULL")
    for id, corpo in novos.fetchall():
        evento = json.loads(corpo)
        tipo, dados = evento["type"], evento["data"]
        if tipo.startswith("analise."):  # outro tipo: descarte
            print("verificado:", tipo, dados["analise_id"], dados["situacao"])
        banco.execute("UPDATE eventos SET feito = 1 WHERE id = ?", [id])

class Receptor(BaseHTTPRequestHandler):
    def do_POST(self):
        corpo = self.rfile.read(int(self.headers["Content-Length"]))
        if not verificar(os.environ["SEGREDO"], self.headers, corpo):
            return self.send_error(401)
        evento = [self.headers["webhook-id"], corpo]  # um repetido é ignorado
        banco.execute("INSERT OR IGNORE INTO eventos VALUES (?, ?, NULL)", evento)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        processar()  # só depois da resposta

processar()  # o que uma queda deixou
HTTPServer(("", int(os.environ["PORTA"])), Receptor).serve_forever()
