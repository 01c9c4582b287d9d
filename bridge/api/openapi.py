"""The OpenAPI 3.1 document, made from the same routes and types that serve the requests."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from aiohttp import web
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from bridge.api.camel import camel
from bridge.api.errors import STATUS
from bridge.api.routes import Auth, Route
from bridge.shape import Shape

Json = dict[str, Any]
Mode = Literal["validation", "serialization"]
Refs = Mapping[Any, Json]


_REF: Final = "#/components/schemas/{model}"
_SECURITY: Final[dict[Auth, list[Json]]] = {
    "user": [{"bearer": []}, {"cookie": []}],
    "admin": [{"bearer": []}, {"cookie": []}],
    "metrics": [{"bearer": []}, {"cookie": []}, {}],
    "signature": [{"signature": []}],
    "open": [],
}
_SCHEMES: Final[Json] = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "teambridge_{port}"},
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": "webhook-signature",
        "description": "The platform's own signature; for webhook channels Standard Webhooks.",
    },
}


_BYTES: Final[Json] = {
    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
    "multipart/form-data": {
        "schema": {
            "type": "object",
            "properties": {"file": {"type": "string", "format": "binary"}},
            "required": ["file"],
        }
    },
}


class Fault(Shape):
    """What went wrong: a fixed code, a sentence for people, and what the code says about itself."""

    code: str
    message: str
    details: dict[str, Any]


class ErrorEnvelope(Shape):
    """The body of every refusal."""

    error: Fault


class Documentation:
    """The document as text, made when somebody first asks for it."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._routes = routes

    @cached_property
    def text(self) -> str:
        return json.dumps(document(self._routes), ensure_ascii=False)


DOCUMENTATION: Final = web.AppKey("documentation", Documentation)


def document(routes: Sequence[Route]) -> Json:
    """The whole document."""
    refs, schemas = _schemas(routes)
    paths: dict[str, Json] = {}
    for route in routes:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route, refs)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "teambridge",
            "version": "1",
            "description": "Times are RFC 3339 UTC, ids are opaque. Below /v1 every key is in camelCase.",
        },
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": _SCHEMES},
    }


def _schemas(routes: Sequence[Route]) -> tuple[Refs, Json]:
    asked: list[tuple[type[BaseModel], Mode]] = [(ErrorEnvelope, "serialization")]
    for route in routes:
        asked += [(model, "validation") for model in _models(route.body)]
        asked += [(model, "serialization") for model in _models(route.described_answer)]
    refs, definitions = models_json_schema(list(dict.fromkeys(asked)), ref_template=_REF)
    own: Json = definitions.get("$defs", {})
    return refs, own | {_camel_name(name): _in_camel(schema) for name, schema in own.items()}


def _models(answer: object) -> list[type[BaseModel]]:
    return [answer] if isinstance(answer, type) and issubclass(answer, BaseModel) else []


def _camel_name(name: str) -> str:
    return f"{name}.camel"


def _in_camel(schema: Any) -> Any:
    """A schema as `/v1` shows it: other keys, and references to schemas of the same kind."""
    if isinstance(schema, list):
        return [_in_camel(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _in_camel(value) for key, value in schema.items()}
    if isinstance(properties := schema.get("properties"), dict):
        changed["properties"] = {camel(name): _in_camel(value) for name, value in properties.items()}
    if isinstance(required := schema.get("required"), list):
        changed["required"] = [camel(name) for name in required]
    if isinstance(reference := schema.get("$ref"), str):
        changed["$ref"] = _camel_name(reference)
    return changed


def _operation(route: Route, refs: Refs) -> Json:
    operation: Json = {
        "operationId": re.sub(r"\W+", "_", f"{route.method.lower()} {route.path}").strip("_"),
        "summary": route.summary,
        "tags": [route.tag],
        "security": _SECURITY[route.auth],
        "parameters": _parameters(route),
        "responses": _responses(route, refs),
    }
    if route.body is not None:
        schema = _schema(route, refs, route.body, "validation")
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if route.takes_bytes:
        operation["requestBody"] = {"required": True, "content": _BYTES}
    return operation


def _parameters(route: Route) -> list[Json]:
    names = re.findall(r"{(\w+)}", route.path)
    found: list[Json] = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]
    for name, schema in _properties(route.described_query).items():
        found.append({"name": camel(name) if route.camel else name, "in": "query", "required": False, "schema": schema})
    return found + [_header(name) for name in route.headers]


def _header(name: str) -> Json:
    return {"name": name, "in": "header", "required": False, "schema": {"type": "string"}}


def _properties(query: type[BaseModel] | None) -> Json:
    return {} if query is None else query.model_json_schema(ref_template=_REF).get("properties", {})


def _responses(route: Route, refs: Refs) -> Json:
    good: Json = {"description": "OK"}
    for model in _models(route.described_answer):
        good["content"] = {route.media: {"schema": _schema(route, refs, model, "serialization")}}
    if "content" not in good and route.status == 200:
        good["content"] = {route.media: {}}
    responses: Json = {str(route.status): good}
    for code in _refusals(route):
        known = responses.setdefault(str(STATUS[code]), _refusal(route, refs))
        known["description"] = f"{known['description']}, {code}".removeprefix(", ")
    return responses


def _refusals(route: Route) -> list[str]:
    own = ["UNAUTHENTICATED"] if route.auth in ("user", "admin", "metrics") else []
    admin = ["FORBIDDEN"] if route.auth == "admin" else []
    invalid = ["PARAM_INVALID"] if route.body is not None or route.described_query is not None else []
    large = ["PAYLOAD_TOO_LARGE"] if route.body is not None or route.takes_bytes else []
    return list(dict.fromkeys([*own, *admin, *invalid, *route.errors, *large, "MISDIRECTED"]))


def _schema(route: Route, refs: Refs, model: type[BaseModel], mode: Mode) -> Json:
    schema: Json = refs[model, mode]
    return {"$ref": _camel_name(schema["$ref"])} if route.camel else schema


def _refusal(route: Route, refs: Refs) -> Json:
    """The error envelope; for people in a browser also a page."""
    page: Json = {route.media: {}} if route.media == "text/html" else {}
    schema = _schema(route, refs, ErrorEnvelope, "serialization")
    return {"description": "", "content": page | {"application/json": {"schema": schema}}}
