"""What addresses and accounts need of a country: real cities with a postcode, usual street names, currency."""

from collections.abc import Mapping
from random import Random
from typing import NamedTuple


class City(NamedTuple):
    """A city, and one of its postcodes."""

    name: str
    postcode: str


class Country(NamedTuple):
    """What a person's country settles. ``currency`` is ISO 4217; ``number_first`` is how a house number stands."""

    name: str
    locale: str
    currency: str
    calling: str
    number_first: bool
    cities: tuple[City, ...]
    streets: tuple[str, ...]


def _cities(text: str) -> tuple[City, ...]:
    """``Graz 8010, Linz 4020`` as cities; a postcode's inner space is written as an underscore."""
    pairs = (each.rsplit(" ", 1) for each in text.split(", "))
    return tuple(City(name, postcode.replace("_", " ")) for name, postcode in pairs)


def _country(
    name: str, locale: str, currency: str, calling: str, cities: str, streets: str, *, number_first: bool = False
) -> Country:
    return Country(name, locale, currency, calling, number_first, _cities(cities), tuple(streets.split(", ")))


COUNTRIES: Mapping[str, Country] = {
    "AT": _country("Austria", "de_AT", "EUR", "+43", "Wien 1070, Graz 8010, Linz 4020, Salzburg 5020, Innsbruck 6020",
                   "Mozartgasse, Bahnhofstraße, Lindengasse, Schillerstraße, Kirchengasse"),
    "AU": _country("Australia", "en_AU", "AUD", "+61", "Sydney 2000, Melbourne 3000, Brisbane 4000, Perth 6000, "
    "Hobart 7000",
                   "George Street, Victoria Road, Park Avenue, Station Street, Church Street", number_first=True),
    "BE": _country("Belgium", "nl_BE", "EUR", "+32", "Brussel 1000, Antwerpen 2000, Gent 9000, Brugge 8000, Leuven "
    "3000",
                   "Kerkstraat, Stationsstraat, Molenstraat, Nieuwstraat, Schoolstraat"),
    "CA": _country("Canada", "en_CA", "CAD", "+1", "Toronto M5V_2T6, Vancouver V6B_1A1, Calgary T2P_1J9, Halifax "
    "B3J_1S9",
                   "Maple Street, King Street, Queen Street, Elm Avenue, Lakeshore Road", number_first=True),
    "CH": _country("Switzerland", "de_CH", "CHF", "+41", "Zürich 8004, Bern 3011, Basel 4051, Luzern 6003, St. Gallen "
    "9000",
                   "Bahnhofstrasse, Seestrasse, Dorfstrasse, Rosenweg, Kirchgasse"),
    "CZ": _country("Czechia", "cs_CZ", "CZK", "+420", "Praha 120_00, Brno 602_00, Ostrava 702_00, Plzeň 301_00",
                   "Nádražní, Husova, Zahradní, Školní, Komenského"),
    "DE": _country("Germany", "de_DE", "EUR", "+49", "Berlin 10115, Hamburg 20095, München 80331, Köln 50667, Leipzig "
    "04109",
                   "Hauptstraße, Gartenstraße, Goethestraße, Bergstraße, Lindenweg"),
    "DK": _country("Denmark", "da_DK", "DKK", "+45", "København 1620, Aarhus 8000, Odense 5000, Aalborg 9000",
                   "Vestergade, Nørregade, Strandvejen, Skolegade, Bredgade"),
    "ES": _country("Spain", "es_ES", "EUR", "+34", "Madrid 28004, Barcelona 08001, Valencia 46001, Sevilla 41001, "
    "Bilbao 48001",
                   "Calle Mayor, Calle del Sol, Avenida de la Paz, Calle Nueva, Paseo del Prado"),
    "FI": _country("Finland", "fi_FI", "EUR", "+358", "Helsinki 00100, Tampere 33100, Turku 20100, Oulu 90100",
                   "Mannerheimintie, Kauppakatu, Koulukatu, Rantatie, Asemakatu"),
    "FR": _country("France", "fr_FR", "EUR", "+33", "Paris 75011, Lyon 69002, Nantes 44000, Lille 59000, Bordeaux "
    "33000",
                   "rue de la Gare, rue Victor Hugo, rue des Lilas, avenue Foch, rue du Moulin", number_first=True),
    "GB": _country("United Kingdom", "en_GB", "GBP", "+44", "London SE1_7PB, Leeds LS1_4DY, Bristol BS1_5TR, Glasgow "
    "G1_1XQ",
                   "High Street, Church Lane, Station Road, Mill Lane, Victoria Road", number_first=True),
    "IE": _country("Ireland", "en_IE", "EUR", "+353", "Dublin D08_XY61, Cork T12_W8KP, Galway H91_K5YC, Limerick "
    "V94_T9PX",
                   "Main Street, Bridge Street, Church Road, Castle Street, Quay Street", number_first=True),
    "IT": _country("Italy", "it_IT", "EUR", "+39", "Roma 00184, Milano 20121, Torino 10121, Bologna 40121, Firenze "
    "50122",
                   "Via Roma, Via Garibaldi, Via Dante, Corso Italia, Via Verdi"),
    "NL": _country("Netherlands", "nl_NL", "EUR", "+31", "Amsterdam 1012_AB, Rotterdam 3011_AD, Utrecht 3511_BT, "
    "Groningen 9711_LM",
                   "Kerkstraat, Dorpsstraat, Stationsweg, Molenweg, Julianastraat"),
    "NO": _country("Norway", "no_NO", "NOK", "+47", "Oslo 0152, Bergen 5003, Trondheim 7010, Stavanger 4006",
                   "Storgata, Kirkegata, Strandgata, Skolegata, Bjørnveien"),
    "PL": _country("Poland", "pl_PL", "PLN", "+48", "Warszawa 00-001, Kraków 30-001, Gdańsk 80-001, Wrocław 50-001",
                   "ul. Długa, ul. Polna, ul. Lipowa, ul. Szkolna, ul. Ogrodowa"),
    "PT": _country("Portugal", "pt_PT", "EUR", "+351", "Lisboa 1100-048, Porto 4000-069, Coimbra 3000-213, Faro "
    "8000-167",
                   "Rua Direita, Rua das Flores, Avenida da Liberdade, Rua da Igreja"),
    "SE": _country("Sweden", "sv_SE", "SEK", "+46", "Stockholm 111_22, Göteborg 411_03, Malmö 211_22, Uppsala 753_10",
                   "Storgatan, Kungsgatan, Skolgatan, Drottninggatan, Parkvägen"),
    "US": _country("United States", "en_US", "USD", "+1", "Boston 02108, Chicago 60601, Denver 80202, Seattle 98101, "
    "Austin 78701",
                   "Main Street, Oak Avenue, Maple Drive, Washington Street, Cedar Lane", number_first=True),
}  # fmt: skip
"""ISO 3166 code -> country, for those whose names Faker writes in Latin letters."""


def street_address(rng: Random, country: str) -> str:
    """A street with a house number, as the country writes it."""
    place = COUNTRIES[country]
    street, house = rng.choice(place.streets), rng.randint(1, 98)
    return f"{house} {street}" if place.number_first else f"{street} {house}"


def city(rng: Random, country: str) -> City:
    """One of the country's cities."""
    return rng.choice(COUNTRIES[country].cities)
