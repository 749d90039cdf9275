import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AnalisesApi;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.api.SimulacoesApi;
import org.openapitools.client.model.AnaliseNova;
import org.openapitools.client.model.AnaliseSituacaoAnalise;
import org.openapitools.client.model.LeadNovo;
import org.openapitools.client.model.Oferta;
import org.openapitools.client.model.SimulacaoNova;
import org.springframework.web.client.RestClientResponseException;

/** Makes a lead, a simulation, its PDF and an analysis, and reads its status, with openapi-generator's client for Spring. */
public class OpenapiRestClient {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient().setBasePath(System.getenv("BASE_URL"));
    client.setApiKey(System.getenv("KEY"));
    LeadsApi leads = new LeadsApi(client);
    SimulacoesApi simulations = new SimulacoesApi(client);
    AnalisesApi analyses = new AnalisesApi(client);
    ObjectMapper json = ApiClient.createDefaultObjectMapper(null);
    JsonNode bodies = json.readTree(Files.readString(Path.of("bodies.json")));

    long leadId = leads.createLead(json.treeToValue(bodies.get("lead"), LeadNovo.class), null).getLeadId();
    ObjectNode wanted = ((ObjectNode) bodies.get("simulation")).put("lead_id", leadId);
    ArrayNode offers = json.createArrayNode();
    Long simulation = null;
    for (Oferta offer : simulations.createSimulation(json.treeToValue(wanted, SimulacaoNova.class), null).getResultado().getResultados()) {
      offers.addArray().add(offer.getBanco().getValue()).add(offer.getSucesso()).add(offer.getParcela1() != null);
      if (simulation == null) simulation = offer.getSimulacaoId();
    }
    // Spring has no converter to File, the type of getSimulationPdf.
    byte[] pdf = simulations.getSimulationPdfWithResponseSpec(simulation).body(byte[].class);

    ObjectNode proposal = ((ObjectNode) bodies.get("analysis")).put("lead_id", leadId);
    long analysis = analyses.submitAnalyses(System.getenv("IDEMPOTENCY_KEY"), json.treeToValue(proposal, AnaliseNova.class))
        .getAnalises().get(0).getAnaliseId();
    AnaliseSituacaoAnalise status = analyses.getAnalysisStatus(analysis).getAnalise();
    for (long until = System.nanoTime() + 60_000_000_000L; status.getPendente() && System.nanoTime() < until; ) {
      Thread.sleep(300);
      status = analyses.getAnalysisStatus(analysis).getAnalise();
    }
    ObjectNode told = json.createObjectNode().put("nome", leads.getLead(leadId).getLead().getNome());
    told.set("offers", offers);
    told.put("pdf", new String(pdf, 0, 5)).put("situacao", status.getSituacao().getValue());
    try {
      leads.getLead(1L);
    } catch (RestClientResponseException error) {
      told.set("refusal", json.readTree(error.getResponseBodyAsByteArray()).get("codigo"));
    }
    System.out.println(json.writeValueAsString(told));
  }
}
