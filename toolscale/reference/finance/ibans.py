"""International bank account numbers that pass their check (ISO 13616) and belong to nobody's bank that we know of."""

from random import Random

COUNTRY_CURRENCY = {
    **dict.fromkeys(("DE", "FR", "NL", "ES", "IE", "IT"), "EUR"),
    **{"GB": "GBP", "CH": "CHF", "SE": "SEK", "PL": "PLN", "DK": "DKK"},
}
_BANKS = {"NL": "FACT", "IE": "FACT", "GB": "FACT", "IT": "X00"}
_LENGTHS = {
    "DE": 22,
    "FR": 27,
    "NL": 18,
    "ES": 24,
    "IE": 22,
    "IT": 27,
    "GB": 22,
    "CH": 21,
    "SE": 24,
    "PL": 28,
    "DK": 18,
}


def iban(rng: Random, country: str) -> str:
    """An account number of the country's length with valid check digits."""
    bank = _BANKS.get(country, "00")
    digits = _LENGTHS[country] - 4 - len(bank)
    account = bank + "".join(rng.choice("0123456789") for _ in range(digits))
    return f"{country}{98 - remainder(f'{account}{country}00'):02}{account}"


def remainder(text: str) -> int:
    """The text modulo 97, letters counted from ten."""
    return int("".join(str(int(letter, 36)) for letter in text)) % 97
