T = TypeVar("T")
_LOCAL = ("localhost", "127.0.0.1", "::1")
_LOST = (500, 502, 503, 504)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """Uma resposta de sucesso. `replay`: é a original de uma chamada anterior com a mesma Idempotency-Key."""

    body: T
    status: int
    replay: bool
    request_id: str


class PartnerError(Exception):
    """Uma recusa. Decida por `failure["codigo"]` e informe `failure["request_id"]` ao suporte.

    `retry_after`: os segundos do Retry-After da resposta; None quando ela não o trouxe.
    """

    def __init__(self, status: int, failure: Erro, retry_after: Optional[int] = None) -> None:
        super().__init__(f"{status} {failure['codigo']}: {failure['erro']}")
        self.status = status
        self.failure = failure
        self.retry_after = retry_after

    def __reduce__(self) -> Any:
        return (PartnerError, (self.status, self.failure, self.retry_after))


class NetworkError(OSError):
    """Nenhuma resposta inteira chegou, em nenhuma das tentativas: conexão recusada, prazo esgotado, queda no meio.

    `cause`: o erro da última tentativa. `retry_is_safe`: se a mesma chamada, com a mesma `idempotency_key`, pode ser
    repetida sem que algo seja feito duas vezes. `idempotency_key`: a que a chamada levou, também quando o cliente a gerou.
    """

    def __init__(self, cause: Exception, retry_is_safe: bool, idempotency_key: Optional[str]) -> None:
        advice = "repita com a mesma Idempotency-Key" if idempotency_key else "repita"
        if not retry_is_safe:
            advice = "a chamada pode ter sido feita: confira antes de repetir"
        super().__init__(f"a rede falhou ({type(cause).__name__}: {cause}); {advice}")
        self.cause = cause
        self.retry_is_safe = retry_is_safe
        self.idempotency_key = idempotency_key

    def __reduce__(self) -> Any:
        return (NetworkError, (self.cause, self.retry_is_safe, self.idempotency_key))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


# As formas dos ids do caminho. Um texto de outra forma chamaria outra rota, como "../../sandbox/reinicio?".
_NUMBER_ID = ("[1-9][0-9]{0,15}", "deve ser um número inteiro positivo, como o que a criação devolveu")
_EVENT_ID = ("evt_[a-z2-7]{32}", "deve ser o id de um evento: evt_ e 32 letras e algarismos")


def _in_path(id: object, form: Tuple[str, str]) -> str:
    """O id como vai no caminho. ValueError, sem repetir o valor, quando não tem a forma de um id."""
    pattern, cure = form
    if not re.fullmatch(pattern, str(id)):
        raise ValueError(f"id {cure}")
    return urllib.parse.quote(str(id), safe="")


def _address(base_url: str) -> str:
    """O endereço sem a barra do fim. ValueError, sem repetir o valor, quando com ele uma chamada iria a outro lugar."""
    address = str(base_url).strip().rstrip("/")
    # Um ? ou # tomaria o caminho para si; um @ faria do nome um usuário.
    if not address or "://" not in address or re.search(r"[\s?#@\\]", address):
        raise ValueError("base_url: deve ser o endereço recebido com a chave, como https://api.exemplo.com.br")
    parts = urllib.parse.urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOCAL):
        raise ValueError("base_url: só https, para não expor a chave")
    return address


def _key_of(key: str) -> str:
    """A chave sem os espaços das pontas. ValueError quando um cabeçalho não a levaria; o erro de http.client a mostraria."""
    text = str(key).strip()
    if not re.fullmatch("pmc_[0-9A-Za-z_]+", text):
        raise ValueError("key: deve ser só a chave, que começa por pmc_: sem aspas, espaços nem outro texto")
    return text


def _json_of(value: object) -> object:
    """Um valor de um corpo que json não conhece, como a API o lê. ValueError quando a API não o leria."""
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError("deve ser um número finito")
        return float(value)
    if isinstance(value, datetime) and value.utcoffset() is None:
        raise ValueError("o datetime precisa do fuso, como o de datetime.now(timezone.utc)")
    if isinstance(value, date):
        return value.isoformat()
    raise ValueError(f"um corpo não leva {type(value).__name__}; passe-o como texto, número, lista ou dict")


def _json_body(body: Mapping[str, Any]) -> bytes:
    """O corpo em JSON. ValueError, com o nome do campo, quando a API não leria um valor dele."""
    # Um corpo que não é de campos, a API recusa com uma frase dela.
    for name, value in body.items() if isinstance(body, Mapping) else ():
        try:
            json.dumps(Decimal(value) if isinstance(value, float) else value, default=_json_of)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return json.dumps(body, default=_json_of).encode()


class _Transport:
    """Faz as chamadas. Repete, com a mesma Idempotency-Key, o que vale repetir: quedas da rede, 409 em andamento, 429 e
    5xx; de um POST sem chave, só 429.

    `attempts`: tentativas por chamada, a primeira incluída. `longest_wait`: a maior espera entre duas tentativas, em
    segundos; um Retry-After maior encerra a chamada. `timeout`: quantos segundos esperar por quem não responde.
    """

    def __init__(
        self, base_url: str, key: str, *, attempts: int = 5, longest_wait: float = 65, timeout: float = 35
    ) -> None:
        self._base_url, self._key = _address(base_url), _key_of(key)
        self._attempts, self._longest_wait, self._timeout = attempts, longest_wait, timeout
        self._opener = urllib.request.build_opener(_NoRedirects())

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, object]] = None,
        body: Optional[Mapping[str, Any]] = None,
        keyed: Literal["none", "optional", "required"] = "none",
        idempotency_key: Union[str, uuid.UUID, None] = None,
    ) -> Answer[Any]:
        given = {name: str(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._base_url}{path}{'?' + urllib.parse.urlencode(given) if given else ''}"
        headers: Dict[str, str] = {}
        if keyed == "required" and not idempotency_key:
            raise ValueError("falta a idempotency_key: gere-a e guarde-a antes da chamada")
        # Um UUIDField do Django, por exemplo, dá um UUID.
        key = str(idempotency_key) if isinstance(idempotency_key, uuid.UUID) else idempotency_key
        if key is not None and not (isinstance(key, str) and re.fullmatch("[ -+.-~-]+", key)):
            raise ValueError("idempotency_key: deve ser um UUID ou um texto só de letras sem acento, algarismos e sinais, em uma linha e sem vírgula")
        if keyed != "none":
            headers["Idempotency-Key"] = str(uuid.uuid4()) if key is None else key
        content: Optional[bytes] = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = _json_body(body)
        # Sem chave, um POST cuja resposta se perdeu pode ter sido feito.
        repeatable = keyed != "none" or method != "POST"
        for attempt in itertools.count(1):
            request = urllib.request.Request(url, content, headers, method=method)
            wait: Optional[int] = None
            try:
                return self._send(request)
            except urllib.error.HTTPError as answer:
                failure = _failure_of(answer)
                again = answer.code == 429 or failure["codigo"] == "idempotencia_em_andamento"
                again = again or (repeatable and answer.code in _LOST)
                wait = _retry_after(answer.headers.get("Retry-After", ""), answer.headers.get("Date", ""))
                error: Exception = PartnerError(answer.code, failure, wait)
            except (OSError, http.client.HTTPException) as broken:
                reason = broken.reason if isinstance(broken, urllib.error.URLError) else broken
                # Sem os passos de urllib, cujas variáveis têm a chave: um relatório de erros as mostraria.
                cause = (reason if isinstance(reason, Exception) else broken).with_traceback(None)
                cause.__cause__ = cause.__context__ = None
                again, error = repeatable, NetworkError(cause, repeatable, headers.get("Idempotency-Key"))
                error.__cause__ = cause
            seconds = random.random() * 0.5 * 2**attempt if wait is None else wait
            if not again or attempt >= self._attempts or seconds > self._longest_wait:
                raise error
            time.sleep(seconds)
        raise AssertionError

    def _send(self, request: urllib.request.Request) -> Answer[Any]:
        # Não em _call: um relatório de erros mostra as variáveis da função que lança.
        request.add_header("X-API-Key", self._key)
        with self._opener.open(request, timeout=self._timeout) as response:
            content: bytes = response.read()
            headers = response.headers
            replay, request_id = headers.get("Idempotent-Replay") == "true", headers.get("X-Request-Id", "")
            if headers.get_content_type() == "application/pdf":
                return Answer(content, response.status, replay, request_id)
            if headers.get_content_type() != "application/json":
                raise PartnerError(response.status, _none(request_id))  # de um proxy
            try:
                return Answer(json.loads(content), response.status, replay, request_id)
            except ValueError as cut:
                raise http.client.IncompleteRead(content) from cut

    def _pages(
        self,
        page: Callable[[Any], Mapping[str, Any]],
        items: str,
        item_id: str,
        filtered: bool = False,
        by_cursor: bool = False,
    ) -> Iterator[Any]:
        # Um item que entra na lista entre duas páginas empurra os outros: o último de uma vem de novo na seguinte.
        # Com um filtro de situacao, reenviar um item o tira do filtro, e a página seguinte pularia outro: todas são lidas
        # antes do primeiro item.
        seen: Set[object] = set()
        kept: List[Any] = []
        place: Any = None if by_cursor else 0
        while True:
            body = page(place)
            for item in body[items]:
                own = item.get(item_id)
                if own is None or own not in seen:
                    if filtered:
                        kept.append(item)
                    else:
                        yield item
                seen.add(own)
            # Não pelo que veio: uma página pode ter menos itens que o limite, e outras depois dela.
            place = body["proximo_cursor"] if by_cursor else place + body["limit"]
            if not body["tem_mais"] or place is None:
                break
        yield from kept


def _moment_of(date: str) -> Optional[int]:
    """Segundos desde 1970 de uma data de HTTP, em uma das três formas da RFC 9110, 5.6.7; None quando não é uma."""
    form = "[A-Z][a-z]+,? [A-Za-z0-9 -]{6,11} [0-9]{2}:[0-9]{2}:[0-9]{2} (GMT|[0-9]{4})"
    parts = email.utils.parsedate(date) if re.fullmatch(form, date) else None
    return None if parts is None else calendar.timegm(parts)


def _retry_after(told: str, date: str) -> Optional[int]:
    """Os segundos do Retry-After, que pode ser uma data (RFC 9110, 10.2.3); None quando não é nem um nem outra."""
    if re.fullmatch("[0-9]{1,9}", told):
        return int(told)
    until, answered = _moment_of(told), _moment_of(date)
    if until is None:
        return None
    # Pelo relógio de quem respondeu: o daqui pode estar errado.
    return max(0, until - (int(time.time()) if answered is None else answered))


def _failure_of(answer: urllib.error.HTTPError) -> Erro:
    request_id = answer.headers.get("X-Request-Id", "")
    try:
        with answer:
            found: Erro = json.loads(answer.read())
        found["codigo"], found["erro"]
        return found
    except (ValueError, KeyError, TypeError, OSError, http.client.HTTPException):
        return _none(request_id)


def _none(request_id: str) -> Erro:
    return {"erro": "A resposta não é do serviço.", "codigo": "erro_interno", "request_id": request_id}


class WebhookError(ValueError):
    """O que verify_webhook recusa: um argumento de outra forma, uma assinatura que não vale, um evento de outro momento."""


def _webhook_body(body: object) -> bytes:
    """Os bytes do corpo. WebhookError quando não há nenhum, e quando veio o que um leitor de JSON fez deles."""
    text = body.encode("utf-8", "replace") if isinstance(body, str) else body
    content = bytes(text) if isinstance(text, (bytes, bytearray, memoryview)) else b""
    if content:
        return content
    raise WebhookError("body: deve ser os bytes do corpo como chegaram, nem vazio nem já lido como JSON")


class _Headers(Protocol):
    """Os cabeçalhos de um pedido, como um dict, o headers do Flask ou o do Django."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


def _webhook_headers(headers: Any) -> Dict[str, str]:
    """Os cabeçalhos, pelo nome em minúsculas. WebhookError quando um que todo evento tem falta ou veio repetido."""
    found: Dict[str, str] = {}
    try:
        for name, value in headers.items():
            if isinstance(name, str) and isinstance(value, str):
                found[name.lower()] = value
    except (AttributeError, TypeError, ValueError):
        found = {}
    needed = ("webhook-id", "webhook-timestamp", "webhook-signature", "x-service-signature")
    missing = [name for name in needed if not found.get(name)]
    repeated = [name for name in needed if name != "webhook-signature" and "," in found.get(name, "")]
    if repeated:
        raise WebhookError(
            f"headers: {', '.join(repeated)} veio mais de uma vez; um proxy do caminho repete o cabeçalho"
        )
    if not missing:
        return found
    cure = "passe os do pedido (request.headers), nome e valor em texto: não META do Django, nem bytes do ASGI, nem um Map"
    raise WebhookError(f"headers: falta {', '.join(missing)}; {cure}")


def _webhook_secrets(secrets: object) -> List[str]:
    """Os segredos sem os espaços das pontas. WebhookError quando um não é um segredo: com um vazio, qualquer um assinaria."""
    given = list(secrets) if isinstance(secrets, (list, tuple, set, frozenset)) else [secrets]
    held = [secret.strip() if isinstance(secret, str) else secret for secret in given]
    if not held or any(secret is None or secret == "" for secret in held):
        raise WebhookError("secrets: falta o segredo do webhook; confira a variável ou o arquivo de que ele vem")
    form = "whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)"
    valid = [secret for secret in held if isinstance(secret, str) and re.fullmatch(form, secret)]
    if len(valid) < len(held):
        raise WebhookError(
            "secrets: deve ser só o segredo do webhook, inteiro, que começa por whsec_: sem aspas nem outro texto"
        )
    return valid


def verify_webhook(
    body: Union[bytes, str], headers: _Headers, secrets: Union[str, Sequence[str]], now: Optional[float] = None
) -> Event:
    """Verifica as duas assinaturas de um evento e o devolve. WebhookError quando uma não vale, quando o evento não é dos
    últimos 5 minutos, e, antes de qualquer conta, quando um argumento tem outra forma.

    `body`: os bytes como chegaram, antes de qualquer json.loads. `secrets`: o segredo em vigor; numa troca, os dois.
    `now`: segundos desde 1970, como os de time.time().
    """
    content, found, held = _webhook_body(body), _webhook_headers(headers), _webhook_secrets(secrets)
    present: object = time.time() if now is None else now
    # Mais que 1e11 é um momento em milissegundos.
    if not isinstance(present, (int, float)) or not 0 <= present < 1e11:
        raise WebhookError("now: deve ser o momento em número, milissegundos em TypeScript e segundos em Python")
    moment = found["webhook-timestamp"]
    if not re.fullmatch("[0-9]{1,15}", moment):
        raise WebhookError("headers: webhook-timestamp deve ser um número de segundos desde 1970")
    age = present - int(moment)
    if age > 300:
        raise WebhookError("o webhook não é dos últimos 5 minutos")
    if age < -300:
        raise WebhookError("o webhook está mais de 5 minutos no futuro; acerte o relógio deste servidor")
    service = [found.get(name, "") for name in ("x-service-signature", "x-service-signature-anterior")]
    standard = found["webhook-signature"].split()
    signed = f"{found['webhook-id']}.{moment}.".encode("utf-8", "replace") + content

    def holds(received: Sequence[str], expected: Callable[[str], str]) -> bool:
        pairs = itertools.product(held, received)
        return any(
            hmac.compare_digest(one.encode("utf-8", "replace"), expected(secret).encode()) for secret, one in pairs
        )

    def simple(secret: str) -> str:
        return "sha256=" + hmac.new(secret.encode(), content, hashlib.sha256).hexdigest()

    def standardised(secret: str) -> str:
        key = base64.b64decode(secret[len("whsec_") :])
        return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    if not holds(service, simple) or not holds(standard, standardised):
        raise WebhookError("a assinatura do webhook não vale")
    event: Event = json.loads(content)
    return event
