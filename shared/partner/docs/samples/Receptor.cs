using System;
using System.Collections.Concurrent;
using System.IO;
using System.Net;
using System.Text;
using System.Threading.Tasks;

static class Receptor {
  static readonly ConcurrentDictionary<string, bool> Vistos =
    new ConcurrentDictionary<string, bool>();

  static void Main() {
    var servidor = new HttpListener();
    var porta = Environment.GetEnvironmentVariable("PORTA");
    servidor.Prefixes.Add("http://*:" + porta + "/");
    servidor.Start();
    while (true) _ = Receber(servidor.GetContext());
  }

  static async Task Receber(HttpListenerContext pedido) {
    var lido = new MemoryStream();
    await pedido.Request.InputStream.CopyToAsync(lido);
    var corpo = lido.ToArray();
    var cabecalhos = pedido.Request.Headers;
    var segredo = Environment.GetEnvironmentVariable("SEGREDO");
    var valido = Webhook.Verificar(segredo, nome => cabecalhos[nome], corpo);
    pedido.Response.StatusCode = valido ? 200 : 401;
    pedido.Response.Close(); // primeiro responda, depois processe
    var (id, texto) = (cabecalhos["webhook-id"], Encoding.UTF8.GetString(corpo));
    if (!valido || !texto.Contains("\"type\":\"analise.")) return; // assinado
    if (Vistos.TryAdd(id, true)) Console.WriteLine("verificado: " + texto);
  }
}
