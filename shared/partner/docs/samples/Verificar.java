class Verificar { // cabecalhos: nomes em minúsculas; corpo: os bytes como chegaram; agora: segundos desde 1970
  static byte[] mac(byte[] chave, String inicio, byte[] corpo) throws java.security.GeneralSecurityException {
    var mac = javax.crypto.Mac.getInstance("HmacSHA256"); mac.init(new javax.crypto.spec.SecretKeySpec(chave, "HmacSHA256"));
    mac.update(inicio.getBytes()); return mac.doFinal(corpo); }
  static boolean ha(String recebidas, String certa) { return java.util.Arrays.stream(recebidas.split(" "))
    .anyMatch(uma -> java.security.MessageDigest.isEqual(uma.getBytes(), certa.getBytes())); }
  static boolean verificar(String segredo, java.util.Map<String, String> cabecalhos, byte[] corpo, long agora) throws Exception {
    var momento = cabecalhos.getOrDefault("webhook-timestamp", "0"); var inicio = cabecalhos.get("webhook-id") + "." + momento + ".";
    var simples = "sha256=" + java.util.HexFormat.of().formatHex(mac(segredo.getBytes(), "", corpo));
    var padrao = "v1," + java.util.Base64.getEncoder().encodeToString(mac(java.util.Base64.getDecoder().decode(segredo.substring(6)), inicio, corpo));
    return ha(cabecalhos.get("x-service-signature") + " " + cabecalhos.get("x-service-signature-anterior"), simples)
      && ha(cabecalhos.getOrDefault("webhook-signature", ""), padrao) && Math.abs(agora - Long.parseLong(momento)) <= 300; } }
