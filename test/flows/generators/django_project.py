"""A Django project with the guide's tab of Django as its app `credito`: one signed event, sent twice, and a forged one."""
import io, json
from contextlib import redirect_stdout

import credito_imobiliario
import django
from django.conf import settings
from django.core.management import call_command
from django.test import Client

with open("vetor.json", encoding="utf-8") as file:
    VECTOR = json.load(file)
# The vector's event is from another day.
credito_imobiliario.time.time = lambda: VECTOR["agora"]

settings.configure(
    ALLOWED_HOSTS=["*"],
    CREDITO_SEGREDO=VECTOR["segredo"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "eventos.db"}},
    INSTALLED_APPS=["credito"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.middleware.csrf.CsrfViewMiddleware"],
    ROOT_URLCONF="credito.urls",
    SECRET_KEY="test",
)
django.setup()
call_command("makemigrations", "credito", verbosity=0)
call_command("migrate", verbosity=0)


def post(body):
    client = Client(enforce_csrf_checks=True)
    sent = {"data": body, "content_type": "application/json", "headers": VECTOR["cabecalhos"]}
    return client.post("/webhooks/credito/", **sent).status_code


forged = post(VECTOR["corpo"] + " ")
answers = [post(VECTOR["corpo"]), post(VECTOR["corpo"])]
with redirect_stdout(io.StringIO()) as printed:
    call_command("processar_eventos")
    call_command("processar_eventos")
print(json.dumps({"forged": forged, "answers": answers, "processed": printed.getvalue()}))
