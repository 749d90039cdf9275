using System; using System.Collections.Generic; using System.Linq; using System.Security.Cryptography; using System.Text;
static class Webhook { // cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos desde 1970
  static byte[] Mac(byte[] chave, byte[] dados) { using (var mac = new HMACSHA256(chave)) return mac.ComputeHash(dados); }
  static bool Iguais(string a, string b) => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(a), Encoding.UTF8.GetBytes(b));
  public static bool Verificar(string segredo, IDictionary<string, string> cabecalhos, byte[] corpo, long agora) {
    Func<string, string> De = nome => cabecalhos.ContainsKey(nome) ? cabecalhos[nome] : "";
    var inicio = Encoding.UTF8.GetBytes(De("webhook-id") + "." + De("webhook-timestamp") + ".");
    var simples = "sha256=" + BitConverter.ToString(Mac(Encoding.UTF8.GetBytes(segredo), corpo)).Replace("-", "").ToLowerInvariant();
    var padrao = "v1," + Convert.ToBase64String(Mac(Convert.FromBase64String(segredo.Substring(6)), inicio.Concat(corpo).ToArray()));
    return (Iguais(De("x-service-signature"), simples) || Iguais(De("x-service-signature-anterior"), simples))
      && De("webhook-signature").Split(' ').Any(uma => Iguais(uma, padrao))
      && Math.Abs(agora - long.Parse(De("webhook-timestamp"))) <= 300; } }
