using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Webhook {
  // cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos desde 1970
  public static bool Verificar(string segredo, IDictionary<string, string> cabecalhos, byte[] corpo, long agora) {
    Func<string, string> De = nome => cabecalhos.ContainsKey(nome) ? cabecalhos[nome] : "";
    var inicio = Encoding.UTF8.GetBytes(De("webhook-id") + "." + De("webhook-timestamp") + ".");
    var mac = Mac(Encoding.UTF8.GetBytes(segredo), corpo);
    var simples = "sha256=" + BitConverter.ToString(mac).Replace("-", "").ToLowerInvariant();
    var chave = Convert.FromBase64String(segredo.Substring("whsec_".Length));
    var padrao = "v1," + Convert.ToBase64String(Mac(chave, inicio.Concat(corpo).ToArray()));
    return (Igual(simples, De("x-service-signature")) || Igual(simples, De("x-service-signature-anterior")))
      && De("webhook-signature").Split(' ').Any(uma => Igual(padrao, uma))
      && Math.Abs(agora - long.Parse(De("webhook-timestamp"))) <= 300;
  }

  static byte[] Mac(byte[] chave, byte[] dados) {
    using (var mac = new HMACSHA256(chave)) return mac.ComputeHash(dados);
  }

  static bool Igual(string certa, string recebida) =>
    CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(certa), Encoding.UTF8.GetBytes(recebida));
}
