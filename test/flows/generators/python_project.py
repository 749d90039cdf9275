# pyright: strict
"""A partner's project: a lead with a Decimal and dates, webhooks in Flask and in Django, and a network that fails."""
import json, os
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import django
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from flask import Flask, request

from credito_imobiliario import AnaliseNova, LeadNovo, NetworkError, PartnerClient, WebhookError, verify_webhook

with open("vetor.json", encoding="utf-8") as file:
    VECTOR: dict[str, Any] = json.load(file)
SECRET: str = VECTOR["segredo"]
NOW: int = VECTOR["agora"]
HEADERS: dict[str, str] = VECTOR["cabecalhos"]
BODY: str = VECTOR["corpo"]

app = Flask(__name__)


def receive_in_flask() -> tuple[str, int]:
    try:
        return verify_webhook(request.get_data(), request.headers, SECRET, NOW)["type"], 200
    except WebhookError:
        return "refused", 400


app.add_url_rule("/webhook", view_func=receive_in_flask, methods=["POST"])


def receive_in_django(request: HttpRequest) -> HttpResponse:
    try:
        return HttpResponse(verify_webhook(request.body, request.headers, SECRET, NOW)["type"])
    except WebhookError:
        return HttpResponse("refused", status=400)


urlpatterns = [path("webhook", receive_in_django)]


def in_flask(body: str) -> list[object]:
    answer = app.test_client().post("/webhook", data=body, headers=HEADERS)
    return [answer.status_code, answer.text]


def in_django(body: str) -> list[object]:
    answer = Client().post("/webhook", data=body, content_type="application/json", headers=HEADERS)
    return [answer.status_code, answer.content.decode()]


def stored_birth_date(api: PartnerClient) -> object:
    lead: LeadNovo = {"nome": "Rui Sales", "cpf": "900.000.002-56", "renda": Decimal("12345.67")}
    lead["data_nascimento"] = date(1988, 3, 14)
    stored = api.get_lead(api.create_lead(lead).body["lead_id"]).body["lead"]
    return [stored["nome"], stored["renda"], stored["data_nascimento"]]


def consent(analysis: AnaliseNova) -> None:
    analysis["consentimento_timestamp"] = datetime.now(timezone.utc)


def network_failure() -> object:
    try:
        PartnerClient("http://localhost:1", key="pmc_sandbox_x", attempts=1).get_account()
    except NetworkError as error:
        safe: bool = error.retry_is_safe
        cause: Exception = error.cause
        return [type(cause).__name__, safe]
    return None


if __name__ == "__main__":
    settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="test")
    django.setup()
    print(
        json.dumps(
            {
                "flask": [in_flask(BODY), in_flask(BODY + " ")],
                "django": [in_django(BODY), in_django(BODY + " ")],
                "lead": stored_birth_date(PartnerClient(os.environ["BASE_URL"], key=os.environ["CHAVE"])),
                "network": network_failure(),
            }
        )
    )
