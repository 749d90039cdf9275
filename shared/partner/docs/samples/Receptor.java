import static java.nio.file.StandardOpenOption.*;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.*;
import java.time.Instant;

class Receptor {
  public static void main(String[] argumentos) throws IOException {
    Files.createDirectories(Path.of("eventos"));
    processar(); // o que uma queda deixou
    var porta = Integer.parseInt(System.getenv("PORTA"));
    var servidor = HttpServer.create(new InetSocketAddress(porta), 0);
    servidor.createContext("/", pedido -> {
      var corpo = pedido.getRequestBody().readAllBytes();
      var cabecalhos = pedido.getRequestHeaders();
      var agora = Instant.now().getEpochSecond();
      var segredo = System.getenv("SEGREDO");
      var valido = Verificar.verificar(segredo, cabecalhos::getFirst, corpo, agora);
      if (valido) guardar("eventos/" + cabecalhos.getFirst("webhook-id"), corpo);
      pedido.sendResponseHeaders(valido ? 200 : 401, -1);
      pedido.close();
      processar(); // só depois da resposta
    });
    servidor.start();
  }

  static void guardar(String arquivo, byte[] corpo) throws IOException {
    var novo = Path.of(arquivo + ".json"); // inteiro, até o disco, uma só vez
    if (Files.exists(novo) || Files.exists(Path.of(novo + ".feito"))) return;
    Files.write(Path.of(arquivo), corpo, CREATE, WRITE, SYNC);
    Files.move(Path.of(arquivo), novo);
  }

  static void processar() throws IOException {
    try (var novos = Files.newDirectoryStream(Path.of("eventos"), "*.json")) {
      for (var novo : novos) {
        var texto = Files.readString(novo);
        var conhecido = texto.contains("\"type\":\"analise."); // outro: descarte
        if (conhecido) System.out.println("verificado: " + texto);
        Files.move(novo, Path.of(novo + ".feito"));
      }
    }
  }
}
