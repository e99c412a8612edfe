"""What the clubs offer: courts, plans, classes, equipment, and the matches that members buy tickets for."""

from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import read_table
from toolscale.reference.documents import read_document

_HERE = Path(__file__).parent

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


class Club(NamedTuple):
    """A club, one in each city, and the league that is played there."""

    code: str
    name: str
    city: str
    country: str
    opens: str
    closes: str
    phone: str
    league_sport: str
    league: str


class CourtKind(NamedTuple):
    """Courts of one kind: each further one costs a little less, so that prices differ."""

    sport: str
    surface: str
    indoor: bool
    rate: float


class Plan(NamedTuple):
    """A membership plan; fees in EUR."""

    plan_id: str
    name: str
    monthly_fee: float
    minimum_months: int
    court_discount_percent: int
    classes_included: bool
    freeze_days_a_year: int


class ClassKind(NamedTuple):
    """A class as it is usually held: minutes, places, drop-in price in EUR."""

    activity: str
    minutes: int
    capacity: int
    price: float


class Gear(NamedTuple):
    """Equipment for hire: EUR a day, deposit, how many a club has."""

    name: str
    kind: str
    daily_rate: float
    deposit: float
    stock: int


class Side(NamedTuple):
    """A team that plays before spectators, its arena and city."""

    name: str
    sport: str
    arena: str
    city: str


class SeatPrices(NamedTuple):
    """What a match of the sport costs to watch, in EUR."""

    sport: str
    upper_tier: float
    lower_tier: float
    box: float


CLUBS = read_table(_HERE / "clubs.csv", Club)
COURT_KINDS = read_table(_HERE / "court_kinds.csv", CourtKind)
PLANS = read_table(_HERE / "plans.csv", Plan)
CLASS_KINDS = {each.activity: each for each in read_table(_HERE / "class_kinds.csv", ClassKind)}
GEAR = read_table(_HERE / "gear.csv", Gear)
SIDES = read_table(_HERE / "sides.csv", Side)
CATEGORY_PRICES = {each.sport: each[1:] for each in read_table(_HERE / "seat_prices.csv", SeatPrices)}
TEAM_NAMES = read_document(_HERE / "team_names.yaml", tuple[str, ...])
