"""What the clubs offer: courts, plans, classes, equipment, and the matches that members buy tickets for."""

from collections.abc import Mapping
from typing import NamedTuple

COUNTRIES = ("DE", "AT", "BE", "FR", "ES", "IT", "PT", "IE")
SPORTS = ("tennis", "padel", "badminton", "squash")
SURFACES = ("clay", "hard", "artificial_grass", "carpet", "wood", "vinyl")
ACTIVITIES = ("yoga", "pilates", "indoor cycling", "aqua fitness", "boxing", "strength training")
LEVELS = ("all levels", "beginners", "advanced")
SPECTATOR_SPORTS = ("football", "handball", "basketball", "volleyball", "ice hockey")
CATEGORIES = ("upper tier", "lower tier", "box")
EQUIPMENT_KINDS = ("tennis racket", "padel racket", "ball machine", "badminton set", "squash racket", "touring bicycle")
BODY_PARTS = ("ankle", "knee", "shoulder", "wrist", "back")
TOPICS = ("lights_failed", "double_booked", "wet_floor", "no_heating", "torn_net")

WEEKS_OF_REST: Mapping[str, int] = {"ankle": 4, "knee": 6, "shoulder": 5, "wrist": 3, "back": 2}
"""Body part -> weeks before a doctor's note clears somebody."""

COMPENSATION_PERCENT: Mapping[str, int] = {
    "lights_failed": 50,
    "double_booked": 100,
    "wet_floor": 40,
    "no_heating": 25,
    "torn_net": 30,
}
"""What went wrong on a court -> the share of its price that comes back."""


class Club(NamedTuple):
    """A club, one in each city."""

    code: str
    name: str
    city: str
    country: str
    opens: str
    closes: str
    phone: str


CLUBS = (
    Club("HAM", "Sportclub Elbwiese", "Hamburg", "DE", "06:30", "23:00", "+49 555 010417"),
    Club("VIE", "Sportclub Donaupark", "Vienna", "AT", "07:00", "22:30", "+43 555 010522"),
    Club("ANR", "Sportclub Scheldezicht", "Antwerp", "BE", "07:00", "22:00", "+32 555 010631"),
    Club("LYS", "Club Sportif des Deux Rives", "Lyon", "FR", "07:30", "22:30", "+33 555 010744"),
    Club("VLC", "Club Deportivo Las Acequias", "Valencia", "ES", "08:00", "23:30", "+34 555 010853"),
    Club("BLQ", "Circolo Sportivo Sant'Isaia", "Bologna", "IT", "08:00", "23:00", "+39 555 010968"),
    Club("OPO", "Clube Desportivo Ribeira Alta", "Porto", "PT", "07:30", "23:00", "+351 555 011073"),
    Club("ORK", "Leeside Racquets and Fitness", "Cork", "IE", "06:30", "22:00", "+353 555 011186"),
)


class CourtKind(NamedTuple):
    """Courts of one kind: each further one costs a little less, so that prices differ."""

    sport: str
    surface: str
    indoor: bool
    rate: float


COURT_KINDS = (
    CourtKind("tennis", "clay", False, 18.00),
    CourtKind("tennis", "hard", True, 28.00),
    CourtKind("tennis", "carpet", True, 25.00),
    CourtKind("padel", "artificial_grass", False, 22.00),
    CourtKind("padel", "artificial_grass", True, 32.00),
    CourtKind("badminton", "wood", True, 15.00),
    CourtKind("badminton", "vinyl", True, 12.50),
    CourtKind("squash", "wood", True, 14.00),
)


class Plan(NamedTuple):
    """A membership plan; fees in EUR."""

    plan_id: str
    name: str
    monthly_fee: float
    minimum_months: int
    court_discount_percent: int
    classes_included: bool
    freeze_days_a_year: int


PLANS = (
    Plan("PLAN-OFFPEAK", "Off-Peak", 29.90, 6, 5, False, 30),
    Plan("PLAN-BASIC", "Basic", 39.90, 12, 10, False, 45),
    Plan("PLAN-CLASSIC", "Classic", 59.90, 12, 20, True, 60),
    Plan("PLAN-FLEX", "Flex", 69.90, 1, 20, True, 90),
    Plan("PLAN-RACKET", "Racket", 74.50, 12, 40, False, 60),
    Plan("PLAN-COMPLETE", "Complete", 99.00, 12, 50, True, 90),
)


class ClassKind(NamedTuple):
    """A class as it is usually held: minutes, places, drop-in price in EUR."""

    minutes: int
    capacity: int
    price: float


CLASS_KINDS: Mapping[str, ClassKind] = {
    "yoga": ClassKind(75, 18, 13.00),
    "pilates": ClassKind(60, 14, 14.00),
    "indoor cycling": ClassKind(45, 22, 11.50),
    "aqua fitness": ClassKind(45, 16, 12.00),
    "boxing": ClassKind(60, 12, 15.00),
    "strength training": ClassKind(60, 10, 14.50),
}


class Gear(NamedTuple):
    """Equipment for hire: EUR a day, deposit, how many a club has."""

    name: str
    kind: str
    daily_rate: float
    deposit: float
    stock: int


GEAR = (
    Gear("light tennis racket of 265 g", "tennis racket", 4.50, 40.00, 6),
    Gear("tournament tennis racket of 300 g", "tennis racket", 7.00, 80.00, 4),
    Gear("round padel racket", "padel racket", 4.00, 35.00, 6),
    Gear("carbon padel racket", "padel racket", 6.50, 70.00, 4),
    Gear("ball machine with remote control", "ball machine", 28.00, 150.00, 1),
    Gear("badminton set for four", "badminton set", 5.50, 30.00, 5),
    Gear("squash racket for beginners", "squash racket", 3.50, 25.00, 6),
    Gear("graphite squash racket", "squash racket", 5.00, 60.00, 4),
    Gear("touring bicycle with 24 gears", "touring bicycle", 16.00, 100.00, 4),
    Gear("electric touring bicycle", "touring bicycle", 34.00, 250.00, 2),
)


class Side(NamedTuple):
    """A team that plays before spectators, its arena and city."""

    name: str
    sport: str
    arena: str
    city: str


SIDES = (
    Side("SV Nordhafen", "football", "Deichstadion", "Hamburg"),
    Side("Union Auwald", "football", "Auwald-Stadion", "Vienna"),
    Side("Racing Vallon", "football", "Stade des Tilleuls", "Lyon"),
    Side("Atlético Almenara", "football", "Campo del Naranjo", "Valencia"),
    Side("HC Speicherstern", "handball", "Speicherhalle", "Hamburg"),
    Side("Handbal Merksplein", "handball", "Sporthal Noorderlaan", "Antwerp"),
    Side("Handebol Douro Norte", "handball", "Pavilhão da Foz", "Porto"),
    Side("Pallacanestro Porta Galliera", "basketball", "PalaGalliera", "Bologna"),
    Side("Lee Valley Hoops", "basketball", "Mardyke Hall", "Cork"),
    Side("Bàsquet Turia", "basketball", "Pavelló del Riu", "Valencia"),
    Side("Volley Due Torri", "volleyball", "PalaSavena", "Bologna"),
    Side("Volley Confluence", "volleyball", "Halle du Confluent", "Lyon"),
    Side("Voleibol Ribeira", "volleyball", "Pavilhão do Bolhão", "Porto"),
    Side("Eisadler Prater", "ice hockey", "Eishalle Donau", "Vienna"),
    Side("Hamburg Icebreakers", "ice hockey", "Eisarena Wandse", "Hamburg"),
)

CATEGORY_PRICES: Mapping[str, tuple[float, float, float]] = {
    "football": (16.00, 34.00, 95.00),
    "handball": (12.00, 24.00, 68.00),
    "basketball": (14.00, 27.50, 74.00),
    "volleyball": (9.00, 18.00, 52.00),
    "ice hockey": (15.00, 29.00, 82.00),
}
"""Sport -> EUR for the upper tier, the lower tier and the box."""

TEAM_NAMES = (
    "Net Cords", "Drop Shots", "Late Volleys", "Second Serves", "Baseline Five", "Golden Sets", "Lucky Lobs",
    "Chip and Charge", "Glass Wallers", "The Smashers", "Night Owls", "Silver Strings", "Tie Breakers", "Backspin Crew",
    "Feather Weights", "Long Rally", "Double Faults", "Advantage Us", "Match Points", "Slow Starters", "Bandeja Club",
    "Wall Flowers", "High Clear", "Deuce Makers", "Cross Court", "Open Stance", "Early Birds", "Flat Hitters",
    "Topspin Tigers", "Shuttle Service", "Rest Day", "Spare Strings",
)  # fmt: skip

LEAGUES: Mapping[str, tuple[str, str]] = {
    "HAM": ("padel", "Elbe Winter Padel League"),
    "VIE": ("tennis", "Danube Doubles League"),
    "ANR": ("badminton", "Scheldt Mixed Badminton League"),
    "LYS": ("padel", "Two Rivers Padel League"),
    "VLC": ("padel", "Turia Evening Padel League"),
    "BLQ": ("tennis", "Portico Tennis League"),
    "OPO": ("badminton", "Douro Badminton League"),
    "ORK": ("tennis", "Leeside Indoor Tennis League"),
}
"""Club -> the league that is played there, its sport and name."""
