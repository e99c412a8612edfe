"""What the bank offers and charges, and whom its customers pay. All names are made up.

Middle rates are of the size that they had in late 2025; fees and limits are in proportion to them, and as round as a
bank makes them.
"""

from typing import Any

Record = dict[str, Any]

_FEES = {  # foreign, express, replacement, courier, overdraft, card limit, new payee, least deposit
    "EUR": ("Euro", 1.0, 4.5, 6.0, 10.0, 18.0, 3000, 5000, 1000, 1000),
    "GBP": ("Pound sterling", 0.874, 4.0, 5.5, 9.0, 16.0, 2500, 4500, 900, 1000),
    "CHF": ("Swiss franc", 0.931, 5.0, 7.0, 12.0, 20.0, 3000, 5000, 1000, 1000),
    "SEK": ("Swedish krona", 11.02, 45.0, 60.0, 100.0, 180.0, 30000, 50000, 10000, 10000),
    "DKK": ("Danish krone", 7.468, 35.0, 45.0, 75.0, 130.0, 20000, 35000, 7500, 7500),
    "PLN": ("Polish zloty", 4.243, 19.0, 25.0, 40.0, 70.0, 12000, 20000, 4000, 4000),
    "USD": ("US dollar", 1.158, 5.0, 7.0, 12.0, 20.0, 3000, 5000, 1000, 1000),
}
_FIELDS = ("name", "rate_per_eur", "foreign_fee", "express_fee", "replacement_fee", "courier_fee",
           "highest_overdraft", "highest_card_limit", "new_payee_limit", "least_deposit")  # fmt: skip

CURRENCIES: dict[str, Record] = {
    code: {"currency": code, **dict(zip(_FIELDS, values, strict=True))} for code, values in _FEES.items()
}
SCALE = {"EUR": 1, "GBP": 1, "CHF": 1, "SEK": 10, "DKK": 7, "PLN": 4, "USD": 1}
"""How much larger everyday sums are than in euros, roughly."""

PLANS: dict[str, Record] = {
    plan_id: {
        "plan_id": plan_id,
        "name": name,
        "fee_discount_percent": discount,
        "exchange_margin_percent": margin,
    }
    for plan_id, name, discount, margin in (
        ("PL-BASIC", "Basic", 0, 1.5),
        ("PL-PLUS", "Plus", 50, 0.9),
        ("PL-PREMIUM", "Premium", 100, 0.4),
    )
}

PRODUCTS: dict[str, Record] = {
    product_id: {
        "product_id": product_id,
        "name": name,
        "kind": kind,
        "interest_percent": interest,
        "monthly_withdrawals": withdrawals,
        "youngest": youngest,
        "oldest": oldest,
    }
    for product_id, name, kind, interest, withdrawals, youngest, oldest in (
        ("PR-CURRENT", "Current Account", "current", 0.0, None, 18, 120),
        ("PR-INSTANT", "Instant Saver", "savings", 1.1, None, 18, 120),
        ("PR-BONUS", "Bonus Saver", "savings", 1.75, 2, 18, 120),
        ("PR-YOUNG", "Young Saver", "savings", 2.1, 3, 18, 27),
        ("PR-SILVER", "Silver Saver", "savings", 1.9, 3, 60, 120),
    )
}

OFFERS: dict[str, Record] = {
    f"FO-{months:02}M": {"offer_id": f"FO-{months:02}M", "term_months": months, "interest_percent": interest}
    for months, interest in ((3, 1.8), (6, 2.05), (9, 2.15), (12, 2.3), (24, 2.45), (36, 2.4), (60, 2.65))
}

ACCOUNT_NAMES = {
    "current": ("Everyday", "Household", "Side job"),
    "savings": ("Rainy day", "Holiday", "New kitchen", "House deposit", "Winter sports", "Grandchildren"),
}
LOAN_PURPOSES = ("car", "kitchen", "solar panels", "roof", "bathroom", "camper van", "wedding", "e-bike")

SHOPS = {
    "DE": (
        *("Lindenkorb Markt", "Gasthaus Silberhirsch", "Reisebüro Wolkenweg", "Technikhaus Brandt & Voss"),
        *("Modehaus Lerche", "Möbelwerk Tannberg", "Kletterhalle Steilwand", "Apotheke am Eulentor"),
    ),
    "FR": (
        *("Épicerie Beauchamp", "Bistrot du Vieux Pont", "Voyages Mistral Bleu", "Électro Duvallon"),
        *("Maison Clairelune", "Ateliers Boisvert", "Cinéma Le Phare Rouge", "Pharmacie des Tilleuls d'Or"),
    ),
    "NL": (
        *("Kruidenier Van Dorsten", "Eetcafé De Gouden Reiger", "Waterland Reizen", "Elektro Hoogvliet"),
        *("Mode Zilverduin", "Woonhuis Lindeboom", "Poppodium De Stoomketel", "Apotheek De Witte Zwaan"),
    ),
    "ES": (
        *("Mercado La Encina", "Taberna El Farolillo", "Viajes Costa Serena", "Electrónica Valdeluz"),
        *("Moda Azahar", "Muebles Roblealto", "Teatro La Cigarra", "Farmacia Puerta Verde"),
    ),
    "IE": (
        *("Hazelmoor Grocers", "The Copper Heron", "Atlantic Drift Travel", "Bellweather Electrics"),
        *("Foxglove Knitwear", "Turf & Timber Homeware", "Lantern Lane Cinema", "Ashgrove Pharmacy"),
    ),
    "IT": (
        *("Bottega Fiordalba", "Trattoria del Gelso", "Viaggi Levante Blu", "Elettronica Montefosco"),
        *("Sartoria Ginestra", "Arredi Colle Ombroso", "Cinema Lanterna Verde", "Farmacia alla Quercia"),
    ),
    "GB": (
        *("Thistledown Foods", "The Pickled Magpie", "Longshore Holidays", "Hartwick Audio"),
        *("Pemberley Lane Clothing", "Oak & Plover Homes", "Kingfisher Climbing", "Wrenfield Pharmacy"),
    ),
    "CH": (
        *("Dorfladen Enzian", "Restaurant Murmelstube", "Gletscherblick Reisen", "Radio Zumbühl"),
        *("Kleiderkammer Arven", "Wohnstudio Birnbaum", "Seilpark Hochwald", "Apotheke zum Steinbock"),
    ),
    "SE": (
        *("Björkhagens Livs", "Krogen Blå Älgen", "Skärgårdsresor Måsen", "Norrsken Elektronik"),
        *("Modehuset Vide", "Furuvik Möbler", "Klätterhallen Granit", "Apoteket Linden"),
    ),
    "PL": (
        *("Delikatesy Pod Jabłonią", "Gospoda Złoty Żuraw", "Podróże Bursztyn", "Elektro Wierzba"),
        *("Moda Jaskółka", "Meble Dębowy Dwór", "Kino Zielona Latarnia", "Apteka Pod Sową"),
    ),
    "DK": (
        *("Købmand Bøgelund", "Spisehuset Den Grå Hejre", "Vestervind Rejser", "Radiohuset Lyngby & Krag"),
        *("Tøjhuset Solsort", "Møbelhuset Egedal", "Biografen Fyrtårnet", "Apoteket Svanen"),
    ),
}
"""Country -> a shop for each category, in the order of `schema.CATEGORIES`."""

CREDITORS = {
    "DE": ("Nordwiese Energie", "Falkenruf Mobil", "Sportwerk Adlerfels", "Kranich Versicherung"),
    "FR": ("Énergie Valclair", "Télécom Hirondelle", "Salle Tempo Forme", "Assurances Beaulac"),
    "NL": ("Windmolen Energie", "Leeuwerik Mobiel", "Sportschool Krachthuis", "Verzekeringen Zeearend"),
    "ES": ("Energía Sol de Levante", "Móvil Golondrina", "Gimnasio Roca Viva", "Seguros Torrealba"),
    "IE": ("Galewind Power", "Curlew Mobile", "Ironbark Gym", "Shannonbridge Insurance"),
    "IT": ("Energia Valchiara", "Telefonia Rondine", "Palestra Vigore", "Assicurazioni Torrebella"),
    "GB": ("Brightmoor Energy", "Skylark Mobile", "Anvil Street Gym", "Castlegate Insurance"),
    "CH": ("Alpenstrom Rhein", "Murmeltel", "Fitness Gipfelwerk", "Versicherung Bergtreu"),
    "SE": ("Fjällkraft Energi", "Tranan Mobil", "Gymmet Järnet", "Försäkring Trygghamn"),
    "PL": ("Energia Wiatrak", "Telefonia Skowronek", "Siłownia Granit", "Ubezpieczenia Baszta"),
    "DK": ("Vindmark Energi", "Lærken Mobil", "Fitnesshuset Styrke", "Forsikring Havblik"),
}
PURPOSES = ("electricity", "mobile phone", "gym membership", "home insurance")
"""What each of a country's creditors collects for, in their order."""
