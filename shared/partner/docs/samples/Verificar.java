import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Verificar {
  /** cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos desde 1970. */
  static boolean verificar(String segredo, Map<String, String> cabecalhos, byte[] corpo, long agora)
      throws GeneralSecurityException {
    String momento = cabecalhos.getOrDefault("webhook-timestamp", "0");
    String inicio = cabecalhos.get("webhook-id") + "." + momento + ".";
    String simples = "sha256=" + HexFormat.of().formatHex(mac(segredo.getBytes(), "", corpo));
    byte[] chave = Base64.getDecoder().decode(segredo.substring("whsec_".length()));
    String padrao = "v1," + Base64.getEncoder().encodeToString(mac(chave, inicio, corpo));
    return (igual(simples, cabecalhos.get("x-service-signature"))
            || igual(simples, cabecalhos.get("x-service-signature-anterior")))
        && Arrays.stream(cabecalhos.getOrDefault("webhook-signature", "").split(" ")).anyMatch(uma -> igual(padrao, uma))
        && Math.abs(agora - Long.parseLong(momento)) <= 300;
  }

  static byte[] mac(byte[] chave, String inicio, byte[] corpo) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(chave, "HmacSHA256"));
    mac.update(inicio.getBytes());
    return mac.doFinal(corpo);
  }

  static boolean igual(String certa, String recebida) {
    return recebida != null && MessageDigest.isEqual(certa.getBytes(), recebida.getBytes());
  }
}
