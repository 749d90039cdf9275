import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.AnalisesApi;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.api.SimulacoesApi;
import org.openapitools.client.model.AnaliseNova;
import org.openapitools.client.model.AnaliseSituacaoAnalise;
import org.openapitools.client.model.LeadNovo;
import org.openapitools.client.model.Oferta;
import org.openapitools.client.model.SimulacaoNova;

/** Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Java client of openapi-generator. */
public class OpenapiGenerator {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient().setBasePath(System.getenv("BASE_URL"));
    client.setApiKey(System.getenv("KEY"));
    LeadsApi leads = new LeadsApi(client);
    SimulacoesApi simulations = new SimulacoesApi(client);
    AnalisesApi analyses = new AnalisesApi(client);
    JsonObject bodies = JsonParser.parseString(Files.readString(Path.of("bodies.json"))).getAsJsonObject();

    long leadId = leads.createLead(LeadNovo.fromJson(bodies.get("lead").toString()), null).getLeadId();
    JsonObject wanted = bodies.getAsJsonObject("simulation");
    wanted.addProperty("lead_id", leadId);
    JsonArray offers = new JsonArray();
    Long simulation = null;
    for (Oferta offer : simulations.createSimulation(SimulacaoNova.fromJson(wanted.toString()), null).getResultado().getResultados()) {
      JsonArray row = new JsonArray();
      row.add(offer.getBanco().getValue());
      row.add(offer.getSucesso());
      row.add(offer.getParcela1() != null);
      offers.add(row);
      if (simulation == null) simulation = offer.getSimulacaoId();
    }
    byte[] pdf = Files.readAllBytes(simulations.getSimulationPdf(simulation).toPath());

    JsonObject proposal = bodies.getAsJsonObject("analysis");
    proposal.addProperty("lead_id", leadId);
    long analysis = analyses.submitAnalyses(System.getenv("IDEMPOTENCY_KEY"), AnaliseNova.fromJson(proposal.toString()))
        .getAnalises().get(0).getAnaliseId();
    AnaliseSituacaoAnalise status = analyses.getAnalysisStatus(analysis).getAnalise();
    for (long until = System.nanoTime() + 60_000_000_000L; status.getPendente() && System.nanoTime() < until; ) {
      Thread.sleep(300);
      status = analyses.getAnalysisStatus(analysis).getAnalise();
    }
    JsonObject told = new JsonObject();
    told.addProperty("nome", leads.getLead(leadId).getLead().getNome());
    told.add("offers", offers);
    told.addProperty("pdf", new String(pdf, 0, 5));
    told.addProperty("situacao", status.getSituacao().getValue());
    try {
      leads.getLead(1L);
    } catch (ApiException error) {
      told.add("refusal", JsonParser.parseString(error.getResponseBody()).getAsJsonObject().get("codigo"));
    }
    System.out.println(JSON.getGson().toJson(told));
  }
}
