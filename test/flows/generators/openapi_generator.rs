// Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Rust client of openapi-generator.
use openapi::apis::{analises_api, configuration, leads_api, simulacoes_api, Error};
use openapi::models::{AnaliseNova, LeadNovo, SimulacaoNova};
use serde_json::{from_value, json, Value};
use std::{env, fs, time};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bodies: Value = serde_json::from_str(&fs::read_to_string("bodies.json")?)?;
    let mut api = configuration::Configuration::new();
    api.base_path = env::var("BASE_URL")?;
    api.api_key = Some(configuration::ApiKey { prefix: None, key: env::var("KEY")? });
    let with_lead = |name: &str, lead: i64| {
        let mut body = bodies[name].clone();
        body["lead_id"] = json!(lead);
        body
    };

    let lead: LeadNovo = from_value(bodies["lead"].clone())?;
    let lead_id = leads_api::create_lead(&api, lead, None).await?.lead_id;
    let wanted: SimulacaoNova = from_value(with_lead("simulation", lead_id))?;
    let offers = simulacoes_api::create_simulation(&api, wanted, None).await?.resultado.resultados;
    let offered = offers.iter().find_map(|offer| offer.simulacao_id).ok_or("no offer")?;
    let pdf = simulacoes_api::get_simulation_pdf(&api, offered).await?.bytes().await?;
    let proposal: AnaliseNova = from_value(with_lead("analysis", lead_id))?;
    let accepted = analises_api::submit_analyses(&api, &env::var("IDEMPOTENCY_KEY")?, proposal).await?;
    let analysis = accepted.analises[0].analise_id;
    let start = time::Instant::now();
    let mut status = analises_api::get_analysis_status(&api, analysis).await?.analise;
    while status.pendente && start.elapsed().as_secs() < 60 {
        tokio::time::sleep(time::Duration::from_millis(300)).await;
        status = analises_api::get_analysis_status(&api, analysis).await?.analise;
    }
    let refusal = match leads_api::get_lead(&api, 1).await {
        Err(Error::ResponseError(answer)) => serde_json::from_str::<Value>(&answer.content)?["codigo"].clone(),
        _ => Value::Null,
    };
    let offers: Vec<Value> =
        offers.iter().map(|offer| json!([offer.banco, offer.sucesso, offer.parcela_1.is_some()])).collect();
    let told = json!({
        "nome": leads_api::get_lead(&api, lead_id).await?.lead.nome,
        "offers": offers,
        "pdf": String::from_utf8_lossy(&pdf[..5]),
        "situacao": status.situacao,
        "refusal": refusal,
    });
    println!("{told}");
    Ok(())
}
