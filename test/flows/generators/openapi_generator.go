// Makes a lead, a simulation, its PDF and an analysis, and reads its status, with the Go client of openapi-generator.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"partner/credito"
)

// must returns the body of a call. It ends the program if the call failed.
func must[Body any, Answer any](body Body, _ Answer, err error) Body {
	if err != nil {
		panic(err)
	}
	return body
}

func main() {
	var bodies struct {
		Lead       credito.LeadNovo
		Simulation map[string]any
		Analysis   credito.AnaliseNova
	}
	text, _ := os.ReadFile("bodies.json")
	if err := json.Unmarshal(text, &bodies); err != nil {
		panic(err)
	}
	settings := credito.NewConfiguration()
	settings.Servers = credito.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	settings.AddDefaultHeader("X-API-Key", os.Getenv("KEY"))
	api := credito.NewAPIClient(settings)
	ctx := context.Background()

	lead := must(api.LeadsAPI.CreateLead(ctx).LeadNovo(bodies.Lead).Execute()).LeadId
	bodies.Simulation["lead_id"] = lead
	var wanted credito.SimulacaoNova
	text, _ = json.Marshal(bodies.Simulation)
	if err := json.Unmarshal(text, &wanted); err != nil {
		panic(err)
	}
	simulated := must(api.SimulacoesAPI.CreateSimulation(ctx).SimulacaoNova(wanted).Execute()).Resultado.Resultados
	var offers [][]any
	for _, offer := range simulated {
		offers = append(offers, []any{offer.Banco, offer.Sucesso, offer.HasParcela1()})
	}
	pdf, _ := io.ReadAll(must(api.SimulacoesAPI.GetSimulationPdf(ctx, simulated[0].GetSimulacaoId()).Execute()))

	bodies.Analysis.LeadId = lead
	submission := api.AnalisesAPI.SubmitAnalyses(ctx).IdempotencyKey(os.Getenv("IDEMPOTENCY_KEY"))
	analysis := must(submission.AnaliseNova(bodies.Analysis).Execute()).Analises[0].AnaliseId
	status := must(api.AnalisesAPI.GetAnalysisStatus(ctx, analysis).Execute()).Analise
	for until := time.Now().Add(time.Minute); status.Pendente && time.Now().Before(until); {
		time.Sleep(300 * time.Millisecond)
		status = must(api.AnalisesAPI.GetAnalysisStatus(ctx, analysis).Execute()).Analise
	}
	_, _, err := api.LeadsAPI.GetLead(ctx, 1).Execute()
	var refused *credito.GenericOpenAPIError
	errors.As(err, &refused)
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"nome":     must(api.LeadsAPI.GetLead(ctx, lead).Execute()).Lead.Nome,
		"offers":   offers,
		"pdf":      string(pdf[:5]),
		"situacao": status.Situacao,
		"refusal":  refused.Model().(credito.Erro).Codigo,
	})
}
