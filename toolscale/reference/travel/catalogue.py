"""What the agency sells, written by hand: places, airlines, routes, fares, insurance, entry rules and tours."""

from typing import NamedTuple


class Place(NamedTuple):
    """A destination with its airport. ``utc`` is the offset in winter, in hours; coordinates are in degrees."""

    code: str
    city: str
    airport: str
    country: str
    country_name: str
    region: str
    utc: float
    latitude: float
    longitude: float


PLACES: tuple[Place, ...] = (
    Place("VIE", "Vienna", "Vienna Schwechat", "AT", "Austria", "europe", 1, 48.11, 16.57),
    Place("FRA", "Frankfurt", "Frankfurt am Main", "DE", "Germany", "europe", 1, 50.03, 8.56),
    Place("CDG", "Paris", "Paris Roissy", "FR", "France", "europe", 1, 49.01, 2.55),
    Place("MAD", "Madrid", "Madrid Barajas", "ES", "Spain", "europe", 1, 40.47, -3.56),
    Place("LHR", "London", "London Heathrow", "GB", "United Kingdom", "europe", 0, 51.47, -0.45),
    Place("AMS", "Amsterdam", "Amsterdam Schiphol", "NL", "Netherlands", "europe", 1, 52.31, 4.76),
    Place("CPH", "Copenhagen", "Copenhagen Kastrup", "DK", "Denmark", "europe", 1, 55.62, 12.65),
    Place("WAW", "Warsaw", "Warsaw Okecie", "PL", "Poland", "europe", 1, 52.17, 20.97),
    Place("MXP", "Milan", "Milan Malpensa", "IT", "Italy", "europe", 1, 45.63, 8.72),
    Place("ZRH", "Zurich", "Zurich Kloten", "CH", "Switzerland", "europe", 1, 47.46, 8.55),
    Place("LIS", "Lisbon", "Lisbon Portela", "PT", "Portugal", "europe", 0, 38.77, -9.13),
    Place("ATH", "Athens", "Athens Spata", "GR", "Greece", "europe", 2, 37.94, 23.94),
    Place("KEF", "Reykjavik", "Keflavik", "IS", "Iceland", "europe", 0, 63.99, -22.62),
    Place("TFS", "Tenerife", "Tenerife South", "ES", "Spain", "europe", 0, 28.04, -16.57),
    Place("IST", "Istanbul", "Istanbul Arnavutkoy", "TR", "Turkey", "europe", 3, 41.26, 28.74),
    Place("RAK", "Marrakech", "Marrakech Menara", "MA", "Morocco", "worldwide", 1, 31.61, -8.04),
    Place("CAI", "Cairo", "Cairo International", "EG", "Egypt", "worldwide", 2, 30.12, 31.41),
    Place("DXB", "Dubai", "Dubai International", "AE", "United Arab Emirates", "worldwide", 4, 25.25, 55.36),
    Place("DEL", "Delhi", "Delhi Palam", "IN", "India", "worldwide", 5.5, 28.56, 77.10),
    Place("BKK", "Bangkok", "Bangkok Suvarnabhumi", "TH", "Thailand", "worldwide", 7, 13.69, 100.75),
    Place("HND", "Tokyo", "Tokyo Haneda", "JP", "Japan", "worldwide", 9, 35.55, 139.78),
    Place("SIN", "Singapore", "Singapore Changi", "SG", "Singapore", "worldwide", 8, 1.36, 103.99),
    Place("NBO", "Nairobi", "Nairobi Embakasi", "KE", "Kenya", "worldwide", 3, -1.32, 36.93),
    Place("CPT", "Cape Town", "Cape Town International", "ZA", "South Africa", "worldwide", 2, -33.97, 18.60),
    Place("JFK", "New York", "New York Idlewild", "US", "United States", "worldwide", -5, 40.64, -73.78),
    Place("YYZ", "Toronto", "Toronto Malton", "CA", "Canada", "worldwide", -5, 43.68, -79.63),
    Place("GIG", "Rio de Janeiro", "Rio de Janeiro Galeão", "BR", "Brazil", "worldwide", -3, -22.81, -43.25),
)

HOMES: dict[str, str] = {
    "AT": "VIE", "DE": "FRA", "FR": "CDG", "ES": "MAD", "GB": "LHR", "NL": "AMS", "DK": "CPH", "PL": "WAW",
    "IT": "MXP", "CH": "ZRH",
}  # fmt: skip
"""Nationality -> the airport from which its travellers start."""

# country, requirement, exempt nationalities, fee, processing days, express surcharge, express days, passport months
ENTRY_RULES: tuple[tuple[str, str, tuple[str, ...], float, int, float, int, int], ...] = (
    ("GB", "travel_authorisation", ("GB",), 18.40, 3, 25.0, 1, 0),
    ("TR", "none", (), 0.0, 0, 0.0, 0, 5),
    ("AE", "none", (), 0.0, 0, 0.0, 0, 6),
    ("TH", "none", (), 0.0, 0, 0.0, 0, 6),
    ("SG", "none", (), 0.0, 0, 0.0, 0, 6),
    ("ZA", "none", (), 0.0, 0, 0.0, 0, 1),
    ("BR", "none", (), 0.0, 0, 0.0, 0, 0),
    ("EG", "e_visa", (), 23.0, 7, 35.0, 3, 6),
    ("IN", "e_visa", (), 36.5, 5, 48.0, 2, 6),
    ("KE", "travel_authorisation", (), 29.8, 4, 39.0, 2, 6),
    ("US", "travel_authorisation", (), 34.5, 3, 29.0, 1, 0),
    ("CA", "travel_authorisation", (), 4.4, 3, 29.0, 1, 0),
)

# code, name, bag fee, business factor, minutes before departure at which check-in closes
CARRIERS: tuple[tuple[str, str, float, float, int], ...] = (
    ("AQ", "Aquiline Air", 38.0, 2.9, 50),
    ("LU", "Luminair", 42.0, 3.1, 60),
    ("NV", "Northvane", 34.0, 2.4, 45),
    ("SB", "Silverbird Airways", 45.0, 3.2, 60),
    ("SO", "Solvento", 32.0, 2.5, 45),
    ("TM", "Tramonto Air", 36.0, 2.6, 40),
)

# fare id, fare, price factor, bags included, change fee, refund percent, refund until hours before departure
FARES: tuple[tuple[str, str, float, int, float | None, int, int], ...] = (
    ("FR-LIGHT", "light", 0.78, 0, None, 0, 0),
    ("FR-CLASSIC", "classic", 1.0, 1, 60.0, 60, 72),
    ("FR-FLEX", "flex", 1.45, 2, 0.0, 100, 24),
)

# origin, destination, carrier, base price, departures of a day out, departures of a day back
ROUTES: tuple[tuple[str, str, str, float, tuple[str, ...], tuple[str, ...]], ...] = (
    ("VIE", "LIS", "AQ", 118, ("06:55", "12:40", "18:05"), ("10:20", "19:35")),
    ("VIE", "BKK", "AQ", 465, ("13:25", "23:20"), ("00:40", "23:55")),
    ("FRA", "JFK", "LU", 390, ("08:30", "13:20", "17:05"), ("17:50", "21:45")),
    ("FRA", "ATH", "LU", 132, ("07:10", "14:15", "20:40"), ("06:30", "13:05")),
    ("CDG", "RAK", "SO", 109, ("07:35", "15:50"), ("11:45", "19:30")),
    ("CDG", "HND", "LU", 610, ("11:10", "20:55"), ("09:35", "22:50")),
    ("MAD", "GIG", "SO", 540, ("11:55", "23:40"), ("14:30", "20:15")),
    ("MAD", "KEF", "NV", 165, ("08:20", "16:35"), ("07:05", "15:45")),
    ("LHR", "CPT", "SB", 520, ("18:25", "21:10"), ("08:40", "19:20")),
    ("LHR", "TFS", "SB", 96, ("06:40", "09:15", "14:50"), ("12:10", "19:05")),
    ("LHR", "DXB", "SB", 330, ("09:20", "14:15", "21:30"), ("02:20", "10:30")),
    ("AMS", "YYZ", "LU", 370, ("10:05", "14:55"), ("17:25", "22:10")),
    ("AMS", "IST", "LU", 128, ("07:25", "12:30", "19:15"), ("09:10", "17:40")),
    ("CPH", "KEF", "NV", 112, ("07:45", "13:10", "19:50"), ("07:20", "14:05")),
    ("CPH", "ATH", "NV", 138, ("06:30", "13:35"), ("11:50", "18:45")),
    ("WAW", "CAI", "AQ", 189, ("09:55", "22:25"), ("03:50", "15:10")),
    ("WAW", "LIS", "AQ", 121, ("06:10", "14:25"), ("11:20", "18:55")),
    ("MXP", "NBO", "TM", 425, ("10:45", "22:05"), ("09:25", "23:30")),
    ("MXP", "IST", "TM", 104, ("07:50", "13:45", "20:20"), ("08:05", "16:50")),
    ("ZRH", "SIN", "AQ", 580, ("12:50", "22:40"), ("01:15", "23:25")),
    ("ZRH", "TFS", "TM", 149, ("06:20", "15:25"), ("11:35", "20:10")),
    ("ZRH", "DEL", "AQ", 410, ("11:25", "20:45"), ("02:55", "13:30")),
)

# product id, name, covers, region, percent of the trip's price, day rate, excess, maximum age
INSURANCE: tuple[tuple[str, str, tuple[str, ...], str, float, float, float, int], ...] = (
    ("IN-MEDEUROPE", "Medical Europe", ("medical",), "europe", 0.0, 1.35, 100.0, 75),
    ("IN-MEDWORLD", "Medical Worldwide", ("medical",), "worldwide", 0.0, 2.4, 100.0, 70),
    ("IN-CANCEL", "Cancellation Cover", ("cancellation",), "worldwide", 4.6, 0.0, 75.0, 99),
    ("IN-COMPLETEEU", "Complete Europe", ("medical", "cancellation", "baggage"), "europe", 5.2, 1.1, 50.0, 75),
    ("IN-COMPLETE", "Complete Worldwide", ("medical", "cancellation", "baggage"), "worldwide", 6.1, 1.9, 50.0, 75),
    ("IN-ACTIVE", "Active Worldwide", ("medical", "baggage", "winter_sports"), "worldwide", 1.2, 3.6, 80.0, 65),
)

# vehicle, seats, price factor, extra minutes
VEHICLES: tuple[tuple[str, int, float, int], ...] = (
    ("shuttle_bus", 6, 0.55, 15),
    ("private_car", 3, 1.0, 0),
    ("minibus", 8, 1.7, 5),
)

# tour id, title, destination, theme, nights, level, group size, price
TOURS: tuple[tuple[str, str, str, str, int, str, int, float], ...] = (
    ("TO-LIS1", "Lisbon and Sintra in Five Days", "LIS", "city_break", 4, "easy", 16, 740),
    ("TO-LIS2", "Alentejo Cellars and Kitchens", "LIS", "food_and_wine", 6, "easy", 12, 1290),
    ("TO-ATH1", "Athens, Delphi and Olympia", "ATH", "culture", 7, "easy", 18, 1180),
    ("TO-ATH2", "Peloponnese on Foot", "ATH", "hiking", 8, "moderate", 12, 1340),
    ("TO-KEF1", "Northern Lights and Hot Springs", "KEF", "wildlife", 5, "easy", 14, 1690),
    ("TO-KEF2", "Winter Trails of the Golden Circle", "KEF", "hiking", 6, "demanding", 10, 1880),
    ("TO-TFS1", "Teide and the Laurel Forest", "TFS", "hiking", 7, "demanding", 12, 1090),
    ("TO-TFS2", "A Winter Week by the Atlantic", "TFS", "beach", 7, "easy", 20, 860),
    ("TO-IST1", "Istanbul on Two Continents", "IST", "city_break", 4, "easy", 16, 690),
    ("TO-RAK1", "Marrakech Souks and Spices", "RAK", "food_and_wine", 5, "easy", 14, 880),
    ("TO-RAK2", "Across the High Atlas", "RAK", "hiking", 8, "demanding", 10, 1240),
    ("TO-CAI1", "From the Pyramids to Abu Simbel", "CAI", "culture", 9, "easy", 20, 1760),
    ("TO-DEL1", "Delhi, Agra and Jaipur", "DEL", "culture", 9, "moderate", 16, 1820),
    ("TO-BKK1", "Temples and Floating Markets", "BKK", "culture", 8, "easy", 16, 1540),
    ("TO-BKK2", "Islands of the Andaman Sea", "BKK", "beach", 11, "easy", 14, 2260),
    ("TO-HND1", "Tokyo, Kyoto and Hiroshima", "HND", "culture", 11, "moderate", 16, 3680),
    ("TO-NBO1", "Masai Mara and Lake Nakuru", "NBO", "wildlife", 8, "moderate", 12, 3240),
    ("TO-CPT1", "Cape Winelands and Whale Coast", "CPT", "food_and_wine", 9, "easy", 12, 2480),
    ("TO-CPT2", "Table Mountain and Cederberg", "CPT", "hiking", 8, "moderate", 10, 2190),
    ("TO-GIG1", "Rio and the Green Coast", "GIG", "beach", 9, "easy", 14, 2340),
    ("TO-YYZ1", "Toronto and Niagara in Winter", "YYZ", "city_break", 5, "easy", 16, 1420),
)
