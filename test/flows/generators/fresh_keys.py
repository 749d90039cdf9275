"""Gives each call of schemathesis its own Idempotency-Key: schemathesis sends the same key with other bodies."""
import itertools, schemathesis
numbers = itertools.count()
@schemathesis.hook
def before_call(context, case, kwargs):
    if "Idempotency-Key" in (case.headers or {}):
        case.headers["Idempotency-Key"] = f"{next(numbers)}{case.headers['Idempotency-Key']}"[:255]
