import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.*;
import java.util.regex.Pattern;

class Receptor {
  public static void main(String[] argumentos) throws Exception {
    var vistos = new HashSet<String>();
    var servidor = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("PORTA"))), 0);
    servidor.createContext("/", pedido -> {
      byte[] corpo = pedido.getRequestBody().readAllBytes();
      var cabecalhos = new HashMap<String, String>();
      pedido.getRequestHeaders().forEach((nome, valores) -> cabecalhos.put(nome.toLowerCase(), valores.get(0)));
      boolean valido = false;
      try {
        valido = Verificar.verificar(System.getenv("SEGREDO"), cabecalhos, corpo, System.currentTimeMillis() / 1000);
      } catch (Exception malformado) { }
      pedido.sendResponseHeaders(valido ? 200 : 401, -1); // primeiro responda, depois processe
      pedido.close();
      if (!valido || !vistos.add(cabecalhos.get("webhook-id"))) return; // um evento pode chegar mais de uma vez
      var texto = new String(corpo);
      var fim = texto.contains("analise_id") ? campo(texto, "analise_id") + " " + campo(texto, "situacao") : "descartado";
      System.out.println("verificado: " + campo(texto, "type") + " " + fim);
    });
    servidor.start();
  }

  // No seu sistema, use a sua biblioteca de JSON.
  static String campo(String json, String nome) {
    var achado = Pattern.compile("\"" + nome + "\": *\"?([^,\"}]*)").matcher(json);
    return achado.find() ? achado.group(1) : "";
  }
}
