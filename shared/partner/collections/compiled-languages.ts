import { OFFERED } from './flow.ts';
import { camel, idIn, indented, jsonWith, type Language, last } from './program-language.ts';

// The flow in compiled languages.

const JAVA_OPENING = `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.UUID;
import java.util.regex.Pattern;

public class Fluxo {
  static byte[] chamar(String metodo, String caminho, String corpo, String pedido) throws Exception {
    var chamada = HttpRequest.newBuilder(URI.create(System.getenv("BASE_URL") + caminho))
        .method(metodo, corpo == null ? BodyPublishers.noBody() : BodyPublishers.ofString(corpo))
        .header("X-API-Key", System.getenv("CHAVE"))
        .header("Content-Type", "application/json");
    if (pedido != null) chamada.header("Idempotency-Key", pedido);
    var resposta = HttpClient.newHttpClient().send(chamada.build(), BodyHandlers.ofByteArray());
    if (resposta.statusCode() >= 300) throw new Exception(new String(resposta.body(), "UTF-8"));
    return resposta.body();
  }

  // O primeiro valor de um campo; no seu sistema, use a sua biblioteca de JSON.
  static String campo(byte[] resposta, String nome) throws Exception {
    var achado = Pattern.compile("\\"" + nome + "\\": *\\"?([^,\\"}]*)").matcher(new String(resposta, "UTF-8"));
    if (!achado.find()) throw new Exception("a resposta não tem " + nome);
    return achado.group(1);
  }

  public static void main(String[] argumentos) throws Exception {`;

export const java: Language = {
  label: 'Java',
  file: 'Fluxo.java',
  opening: JAVA_OPENING,
  closing: '  }\n}',
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: '"%s"',
      lead_id: '%s',
    };
    const given: string[] = [];
    const body = value
      ? jsonWith(value, (name) => {
          if (name !== 'cpf') given.push(name === 'lead_id' ? 'leadId' : 'Instant.now()');
          return named[name]!;
        })
      : undefined;
    const block = body && `"""\n${body}\n"""${given.length > 0 ? `.formatted(${given.join(', ')})` : ''}`;
    const id = idIn(path);
    const address = id ? `"${path.replace(`{{${id}}}`, `" + ${camel(id)} + "`)}"`.replace(/ \+ ""$/, '') : `"${path}"`;
    const call = `chamar("${method}", ${address}, ${block ?? 'null'}, ${key === 'kept' ? 'UUID.randomUUID().toString()' : 'null'})`;
    const lines = repeatWhile
      ? `var ${answer} = ${call};\nwhile (campo(${answer}, "pendente").equals("true")) {\n  Thread.sleep(3000);\n  ${answer} = ${call};\n}\nSystem.out.println(campo(${answer}, "situacao"));`
      : json
        ? `var ${answer} = ${call};`
        : `Files.write(Path.of("simulacao.pdf"), ${call});`;
    return `    ${indented(lines, '    ')}`;
  },
  keep: (answer, name, place) => `    var ${camel(name)} = campo(${answer}, "${last(place)}");`,
};

export const csharp: Language = {
  label: 'C#',
  file: 'Fluxo.cs',
  opening: `using System.Text;
using System.Text.Json.Nodes;

var http = new HttpClient();
http.DefaultRequestHeaders.Add("X-API-Key", Environment.GetEnvironmentVariable("CHAVE"));

async Task<byte[]> Chamar(string metodo, string caminho, string? corpo = null, string? pedido = null) {
  var chamada = new HttpRequestMessage(new HttpMethod(metodo), Environment.GetEnvironmentVariable("BASE_URL") + caminho);
  if (corpo != null) chamada.Content = new StringContent(corpo, Encoding.UTF8, "application/json");
  if (pedido != null) chamada.Headers.Add("Idempotency-Key", pedido);
  var resposta = await http.SendAsync(chamada);
  if (!resposta.IsSuccessStatusCode) throw new Exception(await resposta.Content.ReadAsStringAsync());
  return await resposta.Content.ReadAsByteArrayAsync();
}`,
  call({ answer, value, method, path, json, key, repeatWhile }) {
    const named: Readonly<Record<string, string>> = {
      cpf: '"900.000.001-75"',
      consentimento_timestamp: '"{{DateTime.UtcNow:O}}"',
    };
    const body = value ? `$$"""\n${jsonWith(value, (name) => named[name] ?? `{{${camel(name)}}}`)}\n"""` : undefined;
    const id = idIn(path);
    const address = id ? `$"${path.replace(`{{${id}}}`, `{${camel(id)}}`)}"` : `"${path}"`;
    const given = [
      `"${method}"`,
      address,
      ...(body ? [body] : []),
      ...(key === 'kept' ? ['Guid.NewGuid().ToString()'] : []),
    ].join(', ');
    const call = `JsonNode.Parse(await Chamar(${given}))!`;
    if (repeatWhile)
      return `var ${answer} = ${call}["analise"]!;\nwhile ((bool)${answer}["pendente"]!) {\n  await Task.Delay(3000);\n  ${answer} = ${call}["analise"]!;\n}\nConsole.WriteLine(${answer}["situacao"]);`;
    return json ? `var ${answer} = ${call};` : `File.WriteAllBytes("simulacao.pdf", await Chamar(${given}));`;
  },
  keep(answer, name, place) {
    const text = place.reduce<string>(
      (text, step) =>
        step === OFFERED
          ? `${text}.AsArray().First(um => (bool)um!["sucesso"]!)!`
          : `${text}[${JSON.stringify(step)}]!`,
      answer,
    );
    return `var ${camel(name)} = (long)${text};`;
  },
};
