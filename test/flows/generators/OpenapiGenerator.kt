import java.io.File
import java.math.BigDecimal
import org.openapitools.client.apis.*
import org.openapitools.client.infrastructure.*
import org.openapitools.client.infrastructure.Serializer.moshi
import org.openapitools.client.models.Erro

inline fun <reified T> body(name: String, more: Map<String, Any> = emptyMap()): T {
    val bodies = moshi.adapter(Map::class.java).fromJson(File("bodies.json").readText())!!
    return moshi.adapter(T::class.java).fromJsonValue(bodies[name] as Map<*, *> + more)!!
}

/** Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Kotlin client of openapi-generator. */
fun main() {
    ApiClient.apiKey["X-API-Key"] = System.getenv("KEY")
    val (leads, simulations, analyses) = System.getenv("BASE_URL").let { Triple(LeadsApi(it), SimulacoesApi(it), AnalisesApi(it)) }
    val lead = leads.createLead(body("lead")).leadId
    val more = mapOf("lead_id" to lead)
    val offers = simulations.createSimulation(body("simulation", more)).resultado.resultados
    val analysis = analyses.submitAnalyses(System.getenv("IDEMPOTENCY_KEY"), body("analysis", more)).analises[0].analiseId
    val look = { analyses.getAnalysisStatus(analysis).analise }
    val until = System.nanoTime() + 60_000_000_000
    while (look().pendente && System.nanoTime() < until) Thread.sleep(300)
    val refused = runCatching { leads.getLead(1) }.exceptionOrNull() as ClientException
    println(moshi.adapter(Any::class.java).toJson(mapOf(
        "nome" to leads.getLead(lead).lead.nome,
        "offers" to offers.map { listOf(it.banco.value, it.sucesso, it.parcela1 is BigDecimal) },
        "pdf" to simulations.getSimulationPdf(offers[0].simulacaoId!!).readText(Charsets.ISO_8859_1).take(5),
        "situacao" to look().situacao.value,
        "refusal" to moshi.adapter(Erro::class.java).fromJson((refused.response as ClientError<*>).body as String)!!.codigo,
    )))
}
