using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Webhook {
  // cabecalho: um, pelo nome, ou null; corpo: os bytes recebidos; agora: segundos
  public static bool Verificar(string segredo,
      Func<string, string> cabecalho, byte[] corpo, long? agora = null) {
    if (!(segredo ?? "").StartsWith("whsec_")) return false;
    var momento = cabecalho("webhook-timestamp");
    var inicio = cabecalho("webhook-id") + "." + momento + ".";
    var assinado = Encoding.UTF8.GetBytes(inicio).Concat(corpo).ToArray();
    var chave = Convert.FromBase64String(segredo.Substring("whsec_".Length));
    var padrao = "v1," + Convert.ToBase64String(Hmac(chave, assinado));
    var bytes = Hmac(Encoding.UTF8.GetBytes(segredo), corpo);
    var simples = "sha256=" + string.Concat(bytes.Select(um => um.ToString("x2")));
    var atual = cabecalho("x-service-signature");
    var anterior = cabecalho("x-service-signature-anterior");
    var doPadrao = (cabecalho("webhook-signature") ?? "").Split(' ');
    var segundos = agora ?? DateTimeOffset.UtcNow.ToUnixTimeSeconds();
    return (Iguais(atual, simples) || Iguais(anterior, simples))
      && doPadrao.Any(uma => chave.Length > 0 && Iguais(uma, padrao))
      && Math.Abs(segundos - long.Parse(momento)) <= 300;
  }

  static byte[] Hmac(byte[] chave, byte[] dados) {
    using (var hmac = new HMACSHA256(chave)) return hmac.ComputeHash(dados);
  }

  static bool Iguais(string recebida, string certa) { // em tempo constante
    var a = Encoding.UTF8.GetBytes(recebida ?? "");
    return CryptographicOperations.FixedTimeEquals(a, Encoding.UTF8.GetBytes(certa));
  }
}
