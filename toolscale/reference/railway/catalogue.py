"""What the railway is built of, written by hand: stations, lounges, routes, trains, fares and rail cards."""

from typing import NamedTuple


class Stop(NamedTuple):
    """A call of a route: its station, kilometres from the start, minutes from the start, and minutes of dwell."""

    station: str
    kilometres: int
    minutes: int
    dwell: int = 4


class Route(NamedTuple):
    """A line: how its trains are called, what runs on it, its price a kilometre, when it leaves and where it calls."""

    brand: str
    first_number: int
    trainset: str
    rate_per_km: float
    departures: tuple[str, ...]
    stops: tuple[Stop, ...]


PREFIXES = {"High Speed": "HS", "EuroCity": "EC", "Railjet": "RJ", "Night Jet": "NJ"}

# station code, name, city, country, platforms, assistance from, until, notice in hours
STATIONS: tuple[tuple[str, str, str, str, int, str, str, int], ...] = (
    ("GBSPX", "London St Pancras International", "London", "GB", 15, "05:30", "22:30", 24),
    ("FRPNO", "Paris Gare du Nord", "Paris", "FR", 36, "05:00", "23:30", 24),
    ("FRPLY", "Paris Gare de Lyon", "Paris", "FR", 22, "05:00", "23:30", 24),
    ("FRPST", "Paris Gare de l'Est", "Paris", "FR", 29, "05:30", "23:00", 24),
    ("FRLLE", "Lille Europe", "Lille", "FR", 6, "06:00", "22:00", 24),
    ("FRSXB", "Strasbourg Ville", "Strasbourg", "FR", 11, "06:00", "22:00", 24),
    ("FRLPD", "Lyon Part-Dieu", "Lyon", "FR", 12, "05:30", "23:00", 24),
    ("FRMRS", "Marseille Saint-Charles", "Marseille", "FR", 14, "05:30", "22:30", 24),
    ("FRMPL", "Montpellier Saint-Roch", "Montpellier", "FR", 6, "06:30", "21:30", 24),
    ("FRPGF", "Perpignan", "Perpignan", "FR", 8, "07:00", "20:30", 24),
    ("BEBMI", "Bruxelles-Midi", "Brussels", "BE", 22, "06:00", "22:30", 24),
    ("BELGG", "Liège-Guillemins", "Liège", "BE", 9, "06:30", "21:30", 24),
    ("NLAMS", "Amsterdam Centraal", "Amsterdam", "NL", 15, "06:00", "23:00", 12),
    ("NLRTD", "Rotterdam Centraal", "Rotterdam", "NL", 13, "06:00", "23:00", 12),
    ("NLUTR", "Utrecht Centraal", "Utrecht", "NL", 16, "06:00", "23:00", 12),
    ("DECGN", "Köln Hbf", "Cologne", "DE", 11, "06:00", "22:30", 20),
    ("DEFRA", "Frankfurt (Main) Hbf", "Frankfurt", "DE", 25, "05:30", "23:00", 20),
    ("DEKAE", "Karlsruhe Hbf", "Karlsruhe", "DE", 14, "06:00", "22:00", 20),
    ("DESTR", "Stuttgart Hbf", "Stuttgart", "DE", 17, "06:00", "22:30", 20),
    ("DEMUC", "München Hbf", "Munich", "DE", 32, "05:00", "23:30", 20),
    ("DEBER", "Berlin Hbf", "Berlin", "DE", 14, "05:00", "23:30", 20),
    ("DEHAM", "Hamburg Hbf", "Hamburg", "DE", 12, "05:30", "23:00", 20),
    ("DEDRS", "Dresden Hbf", "Dresden", "DE", 16, "06:00", "22:00", 20),
    ("CHBSL", "Basel SBB", "Basel", "CH", 17, "05:30", "23:00", 2),
    ("CHZRH", "Zürich HB", "Zurich", "CH", 26, "05:30", "23:30", 2),
    ("CHLUG", "Lugano", "Lugano", "CH", 5, "06:00", "22:00", 2),
    ("ITMIL", "Milano Centrale", "Milan", "IT", 24, "05:30", "22:30", 12),
    ("ITTRN", "Torino Porta Susa", "Turin", "IT", 6, "06:00", "22:00", 12),
    ("ITVRN", "Verona Porta Nuova", "Verona", "IT", 12, "06:30", "21:30", 12),
    ("ITVCE", "Venezia Santa Lucia", "Venice", "IT", 23, "06:00", "22:00", 12),
    ("ITBLQ", "Bologna Centrale", "Bologna", "IT", 28, "05:30", "22:30", 12),
    ("ITFLR", "Firenze Santa Maria Novella", "Florence", "IT", 19, "06:00", "22:30", 12),
    ("ITROM", "Roma Termini", "Rome", "IT", 32, "05:30", "23:30", 12),
    ("ATVIE", "Wien Hbf", "Vienna", "AT", 12, "05:00", "23:30", 12),
    ("ATSZG", "Salzburg Hbf", "Salzburg", "AT", 9, "05:30", "22:30", 12),
    ("ATINN", "Innsbruck Hbf", "Innsbruck", "AT", 8, "05:30", "22:30", 12),
    ("CZPRG", "Praha hlavní nádraží", "Prague", "CZ", 16, "06:00", "22:00", 24),
    ("HUBUD", "Budapest-Keleti", "Budapest", "HU", 13, "06:00", "21:30", 36),
    ("PLPOZ", "Poznań Główny", "Poznan", "PL", 12, "06:00", "22:00", 36),
    ("PLWAW", "Warszawa Centralna", "Warsaw", "PL", 8, "05:30", "23:00", 36),
    ("ESBCN", "Barcelona Sants", "Barcelona", "ES", 14, "05:30", "23:00", 12),
    ("ESZAZ", "Zaragoza Delicias", "Zaragoza", "ES", 10, "06:30", "22:30", 12),
    ("ESMAD", "Madrid Puerta de Atocha", "Madrid", "ES", 24, "05:30", "23:30", 12),
)

# lounge id, station, name, opens, closes, visit fee
LOUNGES: tuple[tuple[str, str, str, str, str, float], ...] = (
    ("LG-GBSPX1", "GBSPX", "Grand Hall Lounge", "05:30", "20:30", 34.50),
    ("LG-FRPNO1", "FRPNO", "Salon Nord", "06:00", "20:00", 28.90),
    ("LG-FRPLY1", "FRPLY", "Salon Méditerranée", "06:00", "21:00", 27.90),
    ("LG-FRPLY2", "FRPLY", "Horloge Lounge", "06:30", "20:30", 21.40),
    ("LG-BEBMI1", "BEBMI", "Salon Midi", "06:30", "20:30", 23.40),
    ("LG-NLAMS1", "NLAMS", "IJ Lounge", "06:00", "21:30", 22.60),
    ("LG-DECGN1", "DECGN", "Domblick Lounge", "06:00", "22:00", 19.80),
    ("LG-DEFRA1", "DEFRA", "Mainlounge", "05:30", "22:30", 19.80),
    ("LG-DEMUC1", "DEMUC", "Isar Lounge", "05:30", "22:30", 21.30),
    ("LG-DEBER1", "DEBER", "Spree Lounge", "05:30", "22:30", 22.70),
    ("LG-DEBER2", "DEBER", "Europaplatz Lounge", "06:30", "21:00", 17.20),
    ("LG-DEHAM1", "DEHAM", "Alsterlounge", "06:00", "21:30", 18.60),
    ("LG-CHZRH1", "CHZRH", "Limmat Lounge", "06:00", "21:30", 29.70),
    ("LG-ITMIL1", "ITMIL", "Sala Manin", "06:00", "21:30", 25.30),
    ("LG-ITMIL2", "ITMIL", "Galleria Lounge", "07:00", "20:30", 18.70),
    ("LG-ITROM1", "ITROM", "Sala Quirinale", "06:00", "22:00", 26.40),
    ("LG-ATVIE1", "ATVIE", "Belvedere Lounge", "05:30", "22:00", 18.90),
    ("LG-ESBCN1", "ESBCN", "Sala Montjuïc", "05:45", "21:45", 23.80),
)

# trainset id, name, top speed, bicycle places, (coach, class, zone, number of seats)...
TRAINSETS: tuple[tuple[str, str, int, int, tuple[tuple[int, str, str, int], ...]], ...] = (
    ("TS-V30", "Velaro sixteen-car half set", 320, 0,
     ((1, "first", "quiet", 16), (2, "first", "standard", 20), (5, "second", "quiet", 28),
      (6, "second", "standard", 32), (7, "second", "family", 24), (8, "second", "standard", 32))),
    ("TS-DUP", "Euroduplex double-deck set", 320, 4,
     ((1, "first", "standard", 20), (2, "first", "quiet", 16), (3, "second", "quiet", 24), (5, "second", "family", 28),
      (6, "second", "standard", 36))),
    ("TS-E10", "Frecciarossa-type eight-car set", 300, 2,
     ((1, "first", "quiet", 12), (2, "first", "standard", 16), (4, "second", "quiet", 24),
      (5, "second", "standard", 32), (6, "second", "family", 24))),
    ("TS-GIR", "Giruno eleven-car set", 250, 6,
     ((1, "first", "quiet", 16), (2, "first", "standard", 16), (8, "second", "quiet", 28), (9, "second", "family", 20),
      (10, "second", "standard", 32))),
    ("TS-RJX", "Railjet seven-car set", 230, 5,
     ((21, "second", "standard", 32), (22, "second", "quiet", 28), (23, "second", "family", 24),
      (26, "first", "quiet", 12), (27, "first", "standard", 16))),
    ("TS-ECJ", "ComfortJet nine-car set", 230, 8,
     ((257, "first", "standard", 16), (258, "first", "quiet", 12), (261, "second", "quiet", 24),
      (262, "second", "family", 24), (263, "second", "standard", 36))),
    ("TS-NJ2", "Night Jet seven-car set", 230, 6,
     ((301, "second", "standard", 28), (302, "second", "quiet", 20), (303, "second", "family", 16),
      (305, "first", "quiet", 10), (306, "first", "standard", 10))),
)  # fmt: skip

# fare, travel class, price factor, exchange fee, refund percent, refund until minutes before, sale closes hours before
FARES: tuple[tuple[str, str, float, float | None, int, int, int], ...] = (
    ("saver", "second", 0.68, None, 0, 0, 24),
    ("saver", "first", 1.09, None, 0, 0, 24),
    ("standard", "second", 1.0, 14.50, 70, 1440, 0),
    ("standard", "first", 1.58, 19.50, 70, 1440, 0),
    ("flex", "second", 1.34, 0.0, 100, 30, 0),
    ("flex", "first", 2.06, 0.0, 100, 30, 0),
)

# product id, name, discount, highest class, price, months, youngest, oldest
CARD_PRODUCTS: tuple[tuple[str, str, int, str, float, int, int, int], ...] = (
    ("CP-YOUTH30", "Youth Card 30", 30, "second", 39.90, 12, 12, 27),
    ("CP-CLASSIC25", "Classic Card 25", 25, "second", 62.90, 12, 18, 120),
    ("CP-PREMIUM25", "Premium Card 25", 25, "first", 124.50, 12, 18, 120),
    ("CP-CLASSIC50", "Classic Card 50", 50, "second", 244.80, 12, 18, 120),
    ("CP-PREMIUM50", "Premium Card 50", 50, "first", 492.40, 12, 18, 120),
    ("CP-SENIOR40", "Senior Card 40", 40, "second", 89.70, 12, 65, 120),
    ("CP-TRIAL25", "Trial Card 25", 25, "second", 17.80, 3, 18, 120),
)

_OUTWARD: tuple[Route, ...] = (
    Route("High Speed", 9104, "TS-V30", 0.284, ("07:04", "11:04", "16:16"),
          (Stop("GBSPX", 0, 0), Stop("FRLLE", 267, 86, 3), Stop("BEBMI", 373, 121, 8), Stop("NLRTD", 515, 195, 3),
           Stop("NLAMS", 588, 238))),
    Route("High Speed", 9411, "TS-DUP", 0.231, ("08:13", "12:25", "17:55"),
          (Stop("FRPNO", 0, 0), Stop("BEBMI", 312, 82, 7), Stop("BELGG", 410, 132, 3), Stop("DECGN", 526, 200))),
    Route("High Speed", 9241, "TS-DUP", 0.147, ("06:46", "10:42", "15:16"),
          (Stop("FRPLY", 0, 0), Stop("FRLPD", 427, 118, 6), Stop("ITTRN", 740, 342, 4), Stop("ITMIL", 883, 421))),
    Route("High Speed", 9573, "TS-DUP", 0.218, ("06:55", "10:55", "15:55"),
          (Stop("FRPST", 0, 0), Stop("FRSXB", 397, 107, 4), Stop("DEKAE", 479, 150, 3), Stop("DESTR", 561, 191, 6),
           Stop("DEMUC", 802, 332))),
    Route("High Speed", 9725, "TS-E10", 0.132, ("07:48", "11:48", "14:32"),
          (Stop("FRMRS", 0, 0), Stop("FRMPL", 164, 96, 3), Stop("FRPGF", 319, 191, 3), Stop("ESBCN", 493, 278, 12),
           Stop("ESZAZ", 804, 386, 2), Stop("ESMAD", 1111, 463))),
    Route("High Speed", 9515, "TS-E10", 0.176, ("07:10", "10:10", "13:35", "17:10"),
          (Stop("ITMIL", 0, 0), Stop("ITBLQ", 215, 65, 3), Stop("ITFLR", 312, 105, 7), Stop("ITROM", 573, 200))),
    Route("EuroCity", 101, "TS-GIR", 0.172, ("06:38", "10:38", "14:38"),
          (Stop("NLAMS", 0, 0), Stop("NLUTR", 39, 27, 2), Stop("DECGN", 262, 161, 6), Stop("DEFRA", 442, 228, 8),
           Stop("DEKAE", 578, 296, 3), Stop("CHBSL", 774, 397))),
    Route("EuroCity", 173, "TS-ECJ", 0.104, ("06:51", "08:51", "12:51"),
          (Stop("DEHAM", 0, 0), Stop("DEBER", 287, 113, 10), Stop("DEDRS", 468, 240, 3), Stop("CZPRG", 659, 384, 14),
           Stop("ATVIE", 1058, 638, 8), Stop("HUBUD", 1316, 803))),
    Route("EuroCity", 313, "TS-GIR", 0.194, ("07:33", "11:33", "17:33"),
          (Stop("CHZRH", 0, 0), Stop("CHLUG", 200, 122, 2), Stop("ITMIL", 277, 197, 20), Stop("ITBLQ", 492, 298))),
    Route("EuroCity", 81, "TS-ECJ", 0.128, ("07:34", "11:34", "15:34"),
          (Stop("DEMUC", 0, 0), Stop("ATINN", 172, 109, 6), Stop("ITVRN", 447, 325, 8), Stop("ITVCE", 562, 402))),
    Route("EuroCity", 41, "TS-ECJ", 0.117, ("05:52", "09:52", "13:52", "16:52"),
          (Stop("DEBER", 0, 0), Stop("PLPOZ", 264, 168, 4), Stop("PLWAW", 570, 322))),
    Route("Railjet", 161, "TS-RJX", 0.126, ("06:40", "10:40", "14:40", "16:40"),
          (Stop("CHZRH", 0, 0), Stop("ATINN", 280, 213, 4), Stop("ATSZG", 475, 326, 4), Stop("ATVIE", 787, 470))),
    Route("Night Jet", 233, "TS-NJ2", 0.089, ("19:23", "21:03"),
          (Stop("ATVIE", 0, 0), Stop("ATSZG", 312, 171, 12), Stop("ITBLQ", 812, 574, 5), Stop("ITFLR", 909, 668, 6),
           Stop("ITROM", 1170, 832))),
)  # fmt: skip


def _back(brand: str, end: str, first_number: int, departures: tuple[str, ...]) -> Route:
    """The way back of the route of that brand which ends there: the same calls, the other way round."""
    route = next(each for each in _OUTWARD if (each.brand, each.stops[-1].station) == (brand, end))
    last = route.stops[-1]
    stops = [
        Stop(
            stop.station,
            last.kilometres - stop.kilometres,
            last.minutes - stop.minutes - (0 if stop in (route.stops[0], last) else stop.dwell),
            stop.dwell,
        )
        for stop in reversed(route.stops)
    ]
    return route._replace(first_number=first_number, departures=departures, stops=tuple(stops))


ROUTES: tuple[Route, ...] = (
    *_OUTWARD,
    _back("High Speed", "NLAMS", 9133, ("08:10", "16:10")),
    _back("High Speed", "DECGN", 9442, ("07:43", "15:43")),
    _back("High Speed", "DEMUC", 9592, ("06:24", "14:46")),
    _back("High Speed", "ITROM", 9532, ("07:00", "15:30")),
    _back("EuroCity", "PLWAW", 52, ("06:46", "14:46")),
    _back("Railjet", "ATVIE", 362, ("07:30", "13:30")),
)

# cause, beyond the operator's control
CAUSES: tuple[tuple[str, bool], ...] = (
    ("signal_failure", False),
    ("rolling_stock_fault", False),
    ("staff_shortage", False),
    ("late_turnaround", False),
    ("infrastructure_works", False),
    ("severe_weather", True),
    ("trespassers_on_track", True),
)

# locale of names, country of residence, home stations
HOMES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("en_GB", "GB", ("GBSPX",)),
    ("de_DE", "DE", ("DEBER", "DEMUC", "DECGN", "DEHAM", "DEFRA", "DESTR")),
    ("fr_FR", "FR", ("FRPNO", "FRPLY", "FRLPD", "FRMRS", "FRSXB")),
    ("it_IT", "IT", ("ITMIL", "ITROM", "ITBLQ", "ITFLR", "ITVCE")),
    ("es_ES", "ES", ("ESMAD", "ESBCN", "ESZAZ")),
    ("nl_NL", "NL", ("NLAMS", "NLRTD", "NLUTR")),
    ("pl_PL", "PL", ("PLWAW", "PLPOZ")),
    ("de_AT", "AT", ("ATVIE", "ATSZG", "ATINN")),
    ("cs_CZ", "CZ", ("CZPRG",)),
    ("de_CH", "CH", ("CHZRH", "CHBSL")),
)
