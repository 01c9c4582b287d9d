"""The language of an answer: what the request accepts, else the instance's own."""

from bridge.notices import Locale


def choose_locale(accept: str, default: Locale) -> Locale:
    """The best of zh-CN and en in an Accept-Language header."""
    ranked = sorted((_entry(part) for part in accept.split(",")), key=lambda entry: -entry[1])
    for name, weight in ranked:
        if weight > 0 and name == "zh":
            return "zh-CN"
        if weight > 0 and name == "en":
            return "en"
    return default


def _entry(part: str) -> tuple[str, float]:
    """The primary language and its weight: ("zh", 0.8) of "zh-TW;q=0.8"."""
    name, _, parameters = part.strip().partition(";")
    weight = parameters.strip().removeprefix("q=") or "1"
    try:
        return name.partition("-")[0].lower(), float(weight)
    except ValueError:
        return "", 0.0
