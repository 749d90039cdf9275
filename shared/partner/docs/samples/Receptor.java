import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.HashSet;

class Receptor {
  public static void main(String[] argumentos) throws Exception {
    var vistos = new HashSet<String>();
    var porta = Integer.parseInt(System.getenv("PORTA"));
    var servidor = HttpServer.create(new InetSocketAddress(porta), 0);
    servidor.createContext("/", pedido -> {
      var corpo = pedido.getRequestBody().readAllBytes();
      var cabecalhos = pedido.getRequestHeaders();
      var agora = Instant.now().getEpochSecond();
      var segredo = System.getenv("SEGREDO");
      var valido = Verificar.verificar(segredo, cabecalhos::getFirst, corpo, agora);
      pedido.sendResponseHeaders(valido ? 200 : 401, -1);
      pedido.close(); // primeiro responda, depois processe
      var id = cabecalhos.getFirst("webhook-id");
      var texto = new String(corpo, "UTF-8"); // o tipo vem dele, que é assinado
      if (!valido || !texto.contains("\"type\":\"analise.")) return;
      if (vistos.add(id)) System.out.println("verificado: " + texto);
    });
    servidor.start();
  }
}
