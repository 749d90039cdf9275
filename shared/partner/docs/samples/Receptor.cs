using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;

static class Receptor {
  static void Main() {
    var vistos = new HashSet<string>();
    var servidor = new HttpListener();
    servidor.Prefixes.Add("http://*:" + Environment.GetEnvironmentVariable("PORTA") + "/");
    servidor.Start();
    while (true) {
      var pedido = servidor.GetContext();
      var memoria = new MemoryStream();
      pedido.Request.InputStream.CopyTo(memoria);
      var corpo = memoria.ToArray();
      var recebidos = pedido.Request.Headers;
      var cabecalhos = recebidos.AllKeys.ToDictionary(nome => nome.ToLowerInvariant(), nome => recebidos[nome]);
      var segredo = Environment.GetEnvironmentVariable("SEGREDO");
      var valido = Webhook.Verificar(segredo, cabecalhos, corpo, DateTimeOffset.UtcNow.ToUnixTimeSeconds());
      pedido.Response.StatusCode = valido ? 200 : 401; // primeiro responda, depois processe
      pedido.Response.Close();
      if (!valido || !vistos.Add(cabecalhos["webhook-id"])) continue; // um evento pode chegar mais de uma vez
      var texto = Encoding.UTF8.GetString(corpo);
      var fim = texto.Contains("analise_id") ? Campo(texto, "analise_id") + " " + Campo(texto, "situacao") : "descartado";
      Console.WriteLine("verificado: " + Campo(texto, "type") + " " + fim);
    }
  }

  // No seu sistema, use a sua biblioteca de JSON.
  static string Campo(string json, string nome) =>
    Regex.Match(json, "\"" + nome + "\": *\"?([^,\"}]*)").Groups[1].Value;
}
