using System;
using System.IO;
using System.Net;
using System.Threading;
using System.Threading.Tasks;

static class Receptor {
  static readonly object Trava = new object();

  static void Main() {
    Directory.CreateDirectory("eventos");
    var servidor = new HttpListener();
    var porta = Environment.GetEnvironmentVariable("PORTA");
    servidor.Prefixes.Add("http://*:" + porta + "/");
    servidor.Start();
    Task.Run(() => { for (;; Thread.Sleep(1000)) Processar(); }); // fora da resposta
    while (true) _ = Receber(servidor.GetContext());
  }

  static async Task Receber(HttpListenerContext pedido) {
    var lido = new MemoryStream();
    await pedido.Request.InputStream.CopyToAsync(lido);
    var cabecalhos = pedido.Request.Headers;
    var segredo = Environment.GetEnvironmentVariable("SEGREDO");
    var valido = Webhook.Verificar(segredo, nome => cabecalhos[nome], lido.ToArray());
    if (valido) lock (Trava) Guardar("eventos/" + cabecalhos["webhook-id"], lido);
    pedido.Response.StatusCode = valido ? 200 : 401;
    pedido.Response.Close();
  }

  static void Guardar(string nome, MemoryStream corpo) { // inteiro, uma só vez
    if (File.Exists(nome + ".json") || File.Exists(nome + ".json.feito")) return;
    using (var parcial = File.Create(nome)) {
      corpo.WriteTo(parcial);
      parcial.Flush(true); // até o disco
    }
    File.Move(nome, nome + ".json");
  }

  static void Processar() {
    foreach (var novo in Directory.GetFiles("eventos", "*.json")) {
      var texto = File.ReadAllText(novo);
      var conhecido = texto.Contains("\"type\":\"analise."); // outro: descarte
      if (conhecido) Console.WriteLine("verificado: " + texto);
      File.Move(novo, novo + ".feito");
    }
  }
}
