"""What the ticket office sells and the streaming service shows, written by hand; all of it is made up."""

from typing import NamedTuple


class House(NamedTuple):
    """A venue. Fees are in its currency; the exchange fee is None where nothing is exchanged."""

    key: str
    name: str
    kind: str
    city: str
    country: str
    currency: str
    address: str
    booking_fee: float
    exchange_fee: float | None


HOUSES = (
    House("BER1", "Lichtspiele am Kanal", "cinema", "Berlin", "DE", "EUR", "Uferweg 14", 1.0, None),
    House("WIE1", "Kino am Spittelweg", "cinema", "Wien", "AT", "EUR", "Lindengasse 38", 0.9, None),
    House("PAR1", "Le Petit Projecteur", "cinema", "Paris", "FR", "EUR", "9 rue des Lilas", 1.2, None),
    House("LON1", "The Lantern Picture House", "cinema", "London", "GB", "GBP", "61 Mill Lane", 0.95, None),
    House("STO1", "Bio Lyktan", "cinema", "Stockholm", "SE", "SEK", "Skolgatan 7", 12.0, None),
    House("KRA1", "Kino Pod Kasztanem", "cinema", "Kraków", "PL", "PLN", "ul. Lipowa 22", 3.0, None),
    House("BER2", "Theater in der Ziegelei", "theatre", "Berlin", "DE", "EUR", "Brunnenhof 3", 2.5, 4.0),
    House("PAR2", "Théâtre des Deux Ponts", "theatre", "Paris", "FR", "EUR", "31 quai des Tanneurs", 2.8, 5.0),
    House("DUB1", "The Harbour Playhouse", "theatre", "Dublin", "IE", "EUR", "5 Quay Street", 2.0, 4.5),
    House("LON2", "The Foundry Theatre", "theatre", "London", "GB", "GBP", "112 Victoria Road", 2.75, 4.0),
    House("MIL1", "Teatro del Naviglio Vecchio", "theatre", "Milano", "IT", "EUR", "Via Verdi 52", 2.2, 3.5),
    House("KRA2", "Teatr Nowa Brama", "theatre", "Kraków", "PL", "PLN", "ul. Szkolna 4", 8.0, 15.0),
    House("WIE2", "Donausaal", "concert_hall", "Wien", "AT", "EUR", "Kirchengasse 90", 3.0, None),
    House("AMS1", "Grachtenzaal", "concert_hall", "Amsterdam", "NL", "EUR", "Stationsweg 17", 3.5, None),
    House("STO2", "Älvsalen", "concert_hall", "Stockholm", "SE", "SEK", "Strandpromenaden 40", 35.0, None),
    House("ZRH1", "Seehalle Enge", "concert_hall", "Zürich", "CH", "CHF", "Seestrasse 83", 4.0, None),
)

SCALE = {"EUR": 1.0, "GBP": 0.9, "CHF": 1.2, "SEK": 11.0, "PLN": 4.0}
"""What a price of one EUR comes to, roughly, in each currency."""

# number, title, kind, genre, minutes, age rating, price in EUR for the best usual seat
SHOWS: tuple[tuple[int, str, str, str, int, int, float], ...] = (
    (101, "The Salt Road", "film", "adventure", 128, 12, 12.5),
    (102, "Night Bus to Trieste", "film", "thriller", 107, 16, 12.0),
    (103, "Grandmother's Orchestra", "film", "comedy", 94, 0, 11.0),
    (104, "Orbit Nine", "film", "science fiction", 141, 12, 14.0),
    (105, "A Winter for Two", "film", "romance", 101, 6, 11.5),
    (106, "The Cartographer", "film", "drama", 119, 12, 12.0),
    (107, "Pip and the Lighthouse", "film", "animation", 86, 0, 9.5),
    (108, "Under Black Ice", "film", "horror", 99, 18, 12.0),
    (109, "The Last Tram", "film", "drama", 112, 6, 11.5),
    (201, "The Glass Staircase", "play", "drama", 135, 12, 46.0),
    (202, "Two Judges and a Goose", "play", "comedy", 110, 6, 42.0),
    (203, "The Beekeeper's Silence", "play", "drama", 125, 12, 44.0),
    (204, "A House by the Viaduct", "play", "mystery", 140, 12, 48.0),
    (205, "Letters to Nobody", "play", "monologue", 80, 16, 34.0),
    (206, "The Merchant's Daughters", "play", "classic", 165, 6, 52.0),
    (207, "Harbour Lights", "musical", "musical", 150, 6, 68.0),
    (208, "The Clockmaker's Ball", "musical", "musical", 145, 0, 72.0),
    (301, "Nordic Strings: Winter Programme", "concert", "chamber music", 95, 0, 58.0),
    (302, "The Amber Quartet", "concert", "jazz", 105, 0, 49.0),
    (303, "Requiem and Light", "concert", "choral", 110, 0, 62.0),
    (304, "Copper Kites on Tour", "concert", "indie rock", 120, 12, 55.0),
    (305, "Symphonies of the North", "concert", "orchestra", 115, 0, 74.0),
    (306, "Rosa Tango Ensemble", "concert", "tango", 100, 0, 47.0),
    (307, "Paper Lions Unplugged", "concert", "folk", 90, 0, 44.0),
    (308, "A Night of Film Music", "concert", "orchestra", 130, 6, 69.0),
)

REPERTOIRE = {
    "BER1": (101, 102, 104), "WIE1": (103, 105, 108), "PAR1": (106, 107, 109), "LON1": (101, 104, 105),
    "STO1": (102, 103, 109), "KRA1": (104, 106, 108),
    "BER2": (201, 205), "PAR2": (203, 206), "DUB1": (202, 207), "LON2": (204, 208), "MIL1": (206, 202),
    "KRA2": (203, 201),
    "WIE2": (301, 305, 302), "AMS1": (304, 306, 308), "STO2": (303, 307, 305), "ZRH1": (302, 308, 303),
}  # fmt: skip
"""House -> the shows that it plays."""

# name, genre, year, minutes, age rating, viewers' rating, rate, smallest plan that includes it ("" = none)
TITLES: tuple[tuple[str, str, int, int, int, float, str, str], ...] = (
    ("The Quiet Accountant", "crime", 2019, 112, 16, 7.4, "library", "basic"),
    ("Murder on the Canal Boat", "crime", 2021, 98, 12, 6.8, "library", "standard"),
    ("Cold Harbour", "crime", 2025, 124, 18, 8.1, "recent", "family"),
    ("The Antwerp Diamond", "crime", 2024, 117, 12, 7.1, "recent", "standard"),
    ("Fourteen Witnesses", "crime", 1968, 103, 12, 8.4, "library", "basic"),
    ("The Butcher of Lindengasse", "crime", 2023, 109, 18, 6.3, "recent", ""),
    ("No Flowers for the Coroner", "crime", 2026, 121, 18, 7.7, "premiere", ""),
    ("The Forger's Wife", "crime", 2015, 106, 12, 7.0, "library", "standard"),
    ("Low Tide at Midnight", "crime", 2026, 115, 18, 8.3, "premiere", ""),
    ("Aunt Odile Moves In", "comedy", 2018, 92, 0, 6.9, "library", "basic"),
    ("The Wedding Planner's Divorce", "comedy", 2022, 101, 6, 6.5, "library", "standard"),
    ("Three Men and a Tandem", "comedy", 2024, 96, 0, 7.3, "recent", "family"),
    ("Office Hours", "comedy", 2025, 89, 6, 7.8, "recent", ""),
    ("The Worst Hotel in Tuscany", "comedy", 2016, 104, 6, 7.1, "library", "basic"),
    ("My Neighbour the Tenor", "comedy", 2026, 99, 0, 7.5, "premiere", ""),
    ("Cousins by Mistake", "comedy", 2011, 94, 6, 6.2, "library", "standard"),
    ("Bad Manners", "comedy", 2023, 97, 18, 6.7, "recent", "standard"),
    ("The Parsnip Conspiracy", "comedy", 1974, 88, 0, 8.0, "library", "basic"),
    ("The Weight of Snow", "drama", 2020, 131, 12, 8.2, "library", "standard"),
    ("Letters from Gdynia", "drama", 2017, 126, 12, 7.9, "library", "basic"),
    ("A Field in October", "drama", 2025, 118, 12, 7.6, "recent", "family"),
    ("The Second Violin", "drama", 2024, 109, 6, 8.0, "recent", ""),
    ("What the River Took", "drama", 2026, 137, 16, 8.5, "premiere", ""),
    ("Bread and Ashes", "drama", 1952, 114, 12, 8.7, "library", "basic"),
    ("The Interpreter's Room", "drama", 2013, 108, 18, 7.2, "library", "standard"),
    ("House of Small Hours", "drama", 2023, 122, 18, 7.0, "recent", "standard"),
    ("Salt on the Windowsill", "drama", 2026, 105, 12, 7.8, "premiere", ""),
    ("Glaciers: A Farewell", "documentary", 2022, 84, 0, 8.6, "library", "basic"),
    ("The Last Typesetters", "documentary", 2019, 76, 0, 7.7, "library", "basic"),
    ("Inside the Orchestra", "documentary", 2024, 91, 0, 7.9, "recent", "standard"),
    ("Tunnel Builders", "documentary", 2021, 88, 6, 7.3, "library", "standard"),
    ("Bees of the City", "documentary", 2025, 79, 0, 8.1, "recent", "family"),
    ("The Eight-Thousand Club", "documentary", 2026, 102, 6, 8.4, "premiere", ""),
    ("A Year at the Market", "documentary", 2016, 95, 0, 7.0, "library", "basic"),
    ("Verdict: The Trial of 1961", "documentary", 2023, 107, 16, 8.0, "recent", ""),
    ("Milo and the Paper Dragon", "family", 2021, 81, 0, 7.4, "library", "basic"),
    ("The Snail Who Sang", "family", 2018, 73, 0, 6.8, "library", "standard"),
    ("Captain Barnaby's Treasure", "family", 2024, 97, 6, 7.2, "recent", "family"),
    ("Hedgehogs of Winter Lane", "family", 2025, 84, 0, 7.9, "recent", "family"),
    ("The Borrowed Giraffe", "family", 2026, 90, 0, 7.6, "premiere", ""),
    ("A Dog Called Thursday", "family", 2014, 93, 6, 7.1, "library", "basic"),
    ("The Kite Festival", "family", 2023, 87, 0, 6.9, "recent", ""),
    ("Ferris and the Moon Train", "family", 1988, 85, 0, 8.3, "library", "standard"),
    ("The Ninth Colony", "science fiction", 2022, 138, 12, 7.8, "library", "standard"),
    ("Signal Lost", "science fiction", 2020, 111, 16, 7.0, "library", "basic"),
    ("Tomorrow's Archive", "science fiction", 2025, 127, 12, 8.2, "recent", "family"),
    ("The Mirror Engine", "science fiction", 2024, 119, 18, 7.5, "recent", ""),
    ("Helium Sky", "science fiction", 2026, 144, 12, 7.9, "premiere", ""),
    ("Zero Hour on Europa", "science fiction", 1979, 116, 12, 8.5, "library", "basic"),
    ("The Sleepers of Deck Five", "science fiction", 2023, 105, 18, 6.9, "recent", "standard"),
    ("Rust", "science fiction", 2017, 99, 16, 7.3, "library", "standard"),
    ("The Visitors Next Door", "science fiction", 2026, 102, 6, 7.2, "premiere", ""),
)

PLAN_PRICES = {"basic": (6.99, 1, 0), "standard": (10.99, 2, 10), "family": (15.99, 4, 30)}
"""Plan -> price a month in EUR, screens, downloads."""

RATE_PRICES = {"library": (2.99, 30), "recent": (4.99, 30), "premiere": (12.99, 14)}
"""Rate -> price in EUR, days in which a rental is to be started."""

LEVELS = {"plus": (39.0, 10, 0), "patron": (95.0, 15, 10)}
"""Level -> price a year in EUR, discount in cinemas, discount in theatres and concert halls."""


def priced(amount: float, currency: str) -> float:
    """A price in EUR as it would be set in the currency: to the half, in SEK and PLN to the whole."""
    scaled = amount * SCALE[currency]
    return float(round(scaled)) if currency in ("SEK", "PLN") else round(scaled * 2) / 2


def tagged(amount: float, currency: str) -> float:
    """A price in EUR as a streaming service tags it: 6.99 EUR, 69 SEK, 27.99 PLN."""
    scaled = round(amount * SCALE[currency])
    return float(scaled) if currency == "SEK" else round(scaled - 0.01, 2)
