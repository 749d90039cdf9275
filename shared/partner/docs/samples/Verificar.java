import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.*;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verificar {
  // cabecalho: um, pelo nome, ou null; corpo: os bytes recebidos; agora: segundos
  static boolean verificar(
      String segredo, UnaryOperator<String> cabecalho, byte[] corpo, long agora) {
    if (segredo == null || !segredo.matches("whsec_\\S+")) return false; // vazio
    var momento = cabecalho.apply("webhook-timestamp");
    var inicio = cabecalho.apply("webhook-id") + "." + momento + ".";
    var chave = Base64.getDecoder().decode(segredo.substring("whsec_".length()));
    var doPadrao = hmac(chave, inicio, corpo);
    var padrao = "v1," + Base64.getEncoder().encodeToString(doPadrao);
    var doCorpo = hmac(segredo.getBytes(), "", corpo);
    var simples = "sha256=" + HexFormat.of().formatHex(doCorpo);
    var atual = cabecalho.apply("x-service-signature");
    var anterior = cabecalho.apply("x-service-signature-anterior");
    var recebidas = cabecalho.apply("webhook-signature");
    return (iguais(atual, simples) || iguais(anterior, simples)) && recebidas != null
        && Arrays.stream(recebidas.split(" ")).anyMatch(uma -> iguais(uma, padrao))
        && Math.abs(agora - Long.parseLong(momento)) <= 300;
  }

  static byte[] hmac(byte[] chave, String inicio, byte[] corpo) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(chave, "HmacSHA256"));
      mac.update(inicio.getBytes());
      return mac.doFinal(corpo);
    } catch (GeneralSecurityException impossivel) {
      throw new IllegalStateException(impossivel);
    }
  }

  static boolean iguais(String recebida, String certa) { // em tempo constante
    return recebida != null
        && MessageDigest.isEqual(recebida.getBytes(), certa.getBytes());
  }
}
