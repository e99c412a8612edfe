"""The formulary, the interactions that pharmacists watch, and the laboratory's catalogue.

Strengths, maximum daily doses and age limits follow the products' usual European labels for adults and adolescents;
prices are invented.
"""

from typing import Any

Record = dict[str, Any]

_FIELDS = ("name", "ingredient", "atc_code", "form", "strength", "strength_unit", "units_per_pack", "max_daily_units",
           "min_age", "prescription_only", "allergens", "contraindications", "treats", "max_packs",
           "price")  # fmt: skip

_HEART_AND_METABOLISM: tuple[tuple[Any, ...], ...] = (
    ("Atorvastatin Sandoz 20 mg", "atorvastatin", "C10AA05", "tablet", 20, "mg", 30, 4, 10, True,
     ["lactose"], ["pregnancy"], ["high cholesterol"], 3, 7.64),
    ("Atorvastatin Teva 20 mg", "atorvastatin", "C10AA05", "tablet", 20, "mg", 30, 4, 10, True,
     [], ["pregnancy"], ["high cholesterol"], 3, 8.91),
    ("Sortis 20 mg", "atorvastatin", "C10AA05", "tablet", 20, "mg", 30, 4, 10, True,
     ["lactose"], ["pregnancy"], ["high cholesterol"], 3, 21.45),
    ("Simvastatin ratiopharm 40 mg", "simvastatin", "C10AA01", "tablet", 40, "mg", 28, 1, 10, True,
     ["lactose"], ["pregnancy"], ["high cholesterol"], 3, 6.32),
    ("Zocor 40 mg", "simvastatin", "C10AA01", "tablet", 40, "mg", 28, 1, 10, True,
     ["lactose"], ["pregnancy"], ["high cholesterol"], 3, 18.74),
    ("Ramipril Hexal 5 mg", "ramipril", "C09AA05", "tablet", 5, "mg", 28, 2, 18, True,
     [], ["pregnancy"], ["high blood pressure", "heart failure"], 3, 6.07),
    ("Tritace 5 mg", "ramipril", "C09AA05", "tablet", 5, "mg", 28, 2, 18, True,
     [], ["pregnancy"], ["high blood pressure", "heart failure"], 3, 12.38),
    ("Amlodipine Krka 5 mg", "amlodipine", "C08CA01", "tablet", 5, "mg", 30, 2, 6, True,
     [], [], ["high blood pressure"], 3, 5.46),
    ("Norvasc 5 mg", "amlodipine", "C08CA01", "tablet", 5, "mg", 30, 2, 6, True,
     [], [], ["high blood pressure"], 3, 13.92),
    ("Bisoprolol Stada 5 mg", "bisoprolol", "C07AB07", "tablet", 5, "mg", 30, 4, 18, True,
     [], ["asthma"], ["high blood pressure", "atrial fibrillation", "heart failure"], 3, 6.83),
    ("Concor 5 mg", "bisoprolol", "C07AB07", "tablet", 5, "mg", 30, 4, 18, True,
     [], ["asthma"], ["high blood pressure", "atrial fibrillation", "heart failure"], 3, 11.26),
    ("Verapamil Mylan 80 mg", "verapamil", "C08DA01", "tablet", 80, "mg", 50, 6, 18, True,
     ["lactose"], ["heart failure"], ["high blood pressure", "atrial fibrillation"], 3, 9.18),
    ("Spironolactone Accord 25 mg", "spironolactone", "C03DA01", "tablet", 25, "mg", 50, 4, 18, True,
     ["lactose"], ["chronic kidney disease", "pregnancy"], ["heart failure"], 2, 8.27),
    ("Hydrochlorothiazide 25 mg", "hydrochlorothiazide", "C03AA03", "tablet", 25, "mg", 30, 1, 18, True,
     ["sulfonamide", "lactose"], ["gout", "pregnancy"], ["high blood pressure"], 3, 5.93),
    ("Marevan 3 mg", "warfarin", "B01AA03", "tablet", 3, "mg", 100, 3, 18, True,
     ["lactose"], ["stomach ulcer", "pregnancy"], ["atrial fibrillation"], 1, 9.37),
    ("Eliquis 5 mg", "apixaban", "B01AF02", "tablet", 5, "mg", 60, 2, 18, True,
     ["lactose"], ["stomach ulcer", "pregnancy"], ["atrial fibrillation"], 2, 68.24),
    ("Aspirin Protect 100 mg", "acetylsalicylic acid", "B01AC06", "tablet", 100, "mg", 42, 1, 16, False,
     ["NSAID"], ["stomach ulcer", "pregnancy"], [], 2, 4.17),
    ("Metformin Lich 1000 mg", "metformin", "A10BA02", "tablet", 1000, "mg", 60, 3, 10, True,
     [], ["chronic kidney disease"], ["type 2 diabetes"], 3, 5.22),
    ("Glucophage 1000 mg", "metformin", "A10BA02", "tablet", 1000, "mg", 60, 3, 10, True,
     [], ["chronic kidney disease"], ["type 2 diabetes"], 3, 9.84),
    ("Januvia 100 mg", "sitagliptin", "A10BH01", "tablet", 100, "mg", 28, 1, 18, True,
     [], ["pregnancy"], ["type 2 diabetes"], 3, 34.63),
    ("L-Thyroxin Henning 50", "levothyroxine", "H03AA01", "tablet", 50, "microgram", 100, 4, 0, True,
     [], [], ["underactive thyroid"], 2, 6.96),
    ("Euthyrox 50", "levothyroxine", "H03AA01", "tablet", 50, "microgram", 100, 4, 0, True,
     [], [], ["underactive thyroid"], 2, 8.43),
    ("Allopurinol Aristo 100 mg", "allopurinol", "M04AA01", "tablet", 100, "mg", 50, 3, 15, True,
     ["lactose"], [], ["gout"], 2, 5.78),
    ("Ferro-Gradumet 105 mg", "ferrous sulfate", "B03AA07", "tablet", 105, "mg", 30, 1, 12, False,
     ["lactose"], ["stomach ulcer"], ["iron deficiency"], 3, 6.41),
    ("Tardyferon 80 mg", "ferrous sulfate", "B03AA07", "tablet", 80, "mg", 30, 2, 12, False,
     [], ["stomach ulcer"], ["iron deficiency"], 3, 7.85),
    ("Losartan Teva 50 mg", "losartan", "C09CA01", "tablet", 50, "mg", 28, 2, 18, True,
     [], ["pregnancy"], ["high blood pressure", "heart failure"], 3, 6.58),
    ("Cozaar 50 mg", "losartan", "C09CA01", "tablet", 50, "mg", 28, 2, 18, True,
     ["lactose"], ["pregnancy"], ["high blood pressure", "heart failure"], 3, 12.05),
    ("Furosemide ratiopharm 40 mg", "furosemide", "C03CA01", "tablet", 40, "mg", 50, 3, 15, True,
     ["sulfonamide", "lactose"], [], ["heart failure"], 2, 6.84),
    ("Xarelto 20 mg", "rivaroxaban", "B01AF01", "tablet", 20, "mg", 28, 1, 18, True,
     ["lactose"], ["stomach ulcer", "pregnancy"], ["atrial fibrillation"], 3, 81.36),
    ("Zyloric 100 mg", "allopurinol", "M04AA01", "tablet", 100, "mg", 50, 3, 15, True,
     ["lactose"], [], ["gout"], 2, 11.47),
    ("Sitagliptin Zentiva 100 mg", "sitagliptin", "A10BH01", "tablet", 100, "mg", 28, 1, 18, True,
     [], ["pregnancy"], ["type 2 diabetes"], 3, 15.37),
    ("Ezetimibe Viatris 10 mg", "ezetimibe", "C10AX09", "tablet", 10, "mg", 30, 1, 10, True,
     ["lactose"], ["pregnancy"], ["high cholesterol"], 3, 9.94),
)  # fmt: skip

_THE_REST: tuple[tuple[Any, ...], ...] = (
    ("Amoxicillin Sandoz 500 mg", "amoxicillin", "J01CA04", "capsule", 500, "mg", 21, 6, 12, True,
     ["penicillin", "gelatin"], [], ["bacterial infection"], 2, 6.35),
    ("Klacid 500 mg", "clarithromycin", "J01FA09", "tablet", 500, "mg", 14, 2, 12, True,
     ["macrolide"], [], ["bacterial infection"], 2, 11.83),
    ("Bactrim Forte 960 mg", "co-trimoxazole", "J01EE01", "tablet", 960, "mg", 20, 2, 12, True,
     ["sulfonamide"], ["chronic kidney disease", "pregnancy"], ["bacterial infection"], 1, 8.14),
    ("Fluconazole Pierre Fabre 150 mg", "fluconazole", "J02AC01", "capsule", 150, "mg", 1, 1, 16, False,
     ["gelatin", "lactose"], ["pregnancy"], ["fungal infection"], 2, 9.27),
    ("Canesten 1% cream", "clotrimazole", "D01AC01", "cream", 10, "mg/g", 20, 10, 2, False,
     [], [], ["fungal infection"], 3, 6.74),
    ("Nurofen Forte 400 mg", "ibuprofen", "M01AE01", "tablet", 400, "mg", 24, 3, 12, False,
     ["NSAID"], ["stomach ulcer", "chronic kidney disease", "heart failure", "pregnancy"],
     ["pain", "migraine"], 2, 8.49),
    ("Ibuprofen Teva 400 mg", "ibuprofen", "M01AE01", "tablet", 400, "mg", 20, 3, 12, False,
     ["NSAID", "lactose"], ["stomach ulcer", "chronic kidney disease", "heart failure", "pregnancy"],
     ["pain", "migraine"], 2, 3.87),
    ("Naproxen Hexal 500 mg", "naproxen", "M01AE02", "tablet", 500, "mg", 20, 2, 16, True,
     ["NSAID", "lactose"], ["stomach ulcer", "chronic kidney disease", "heart failure", "pregnancy"],
     ["pain", "gout"], 2, 7.72),
    ("Voltaren Emulgel 1%", "diclofenac", "M02AA15", "gel", 10, "mg/g", 100, 16, 14, False,
     ["NSAID"], ["pregnancy"], ["pain"], 2, 10.56),
    ("Paracetamol Ratiopharm 500 mg", "paracetamol", "N02BE01", "tablet", 500, "mg", 20, 8, 12, False,
     [], [], ["pain", "migraine"], 2, 2.96),
    ("Dafalgan 500 mg", "paracetamol", "N02BE01", "capsule", 500, "mg", 16, 8, 12, False,
     ["gelatin"], [], ["pain", "migraine"], 2, 3.34),
    ("Tramal 50 mg", "tramadol", "N02AX02", "capsule", 50, "mg", 20, 8, 12, True,
     ["opioid", "gelatin"], ["epilepsy", "pregnancy"], ["pain"], 1, 7.13),
    ("Imigran 50 mg", "sumatriptan", "N02CC01", "tablet", 50, "mg", 6, 6, 18, True,
     ["lactose"], ["high blood pressure", "pregnancy"], ["migraine"], 2, 14.79),
    ("Cetirizine Biogaran 10 mg", "cetirizine", "R06AE07", "tablet", 10, "mg", 20, 1, 6, False,
     ["lactose"], [], ["hay fever", "eczema"], 3, 4.36),
    ("Zyrtec 10 mg", "cetirizine", "R06AE07", "tablet", 10, "mg", 20, 1, 6, False,
     ["lactose"], [], ["hay fever", "eczema"], 3, 8.23),
    ("Fexofenadine Cinfa 120 mg", "fexofenadine", "R06AX26", "tablet", 120, "mg", 20, 1, 12, False,
     [], [], ["hay fever"], 3, 7.58),
    ("Claritin 1 mg/ml syrup", "loratadine", "R06AX13", "oral liquid", 1, "mg/ml", 120, 10, 2, False,
     [], [], ["hay fever"], 2, 9.12),
    ("Omeprazole Teva 20 mg", "omeprazole", "A02BC01", "capsule", 20, "mg", 28, 2, 16, True,
     ["gelatin"], [], ["acid reflux"], 3, 7.94),
    ("Losec 20 mg", "omeprazole", "A02BC01", "capsule", 20, "mg", 28, 2, 16, True,
     ["gelatin", "lactose"], [], ["acid reflux"], 3, 17.42),
    ("Pantozol Control 20 mg", "pantoprazole", "A02BC02", "tablet", 20, "mg", 14, 1, 18, False,
     [], ["pregnancy"], ["acid reflux"], 2, 9.76),
    ("Gaviscon suspension", "sodium alginate", "A02BX13", "oral liquid", 50, "mg/ml", 200, 80, 12, False,
     [], [], ["acid reflux"], 3, 8.07),
    ("Sertraline Almus 50 mg", "sertraline", "N06AB06", "tablet", 50, "mg", 30, 4, 18, True,
     [], [], ["depression"], 3, 7.86),
    ("Zoloft 50 mg", "sertraline", "N06AB06", "tablet", 50, "mg", 30, 4, 18, True, [], [], ["depression"], 3, 19.33),
    ("Laif 900 mg", "St John's wort", "N06AX25", "tablet", 900, "mg", 20, 1, 18, False,
     [], ["pregnancy"], [], 2, 13.95),
    ("Ventolin 100", "salbutamol", "R03AC02", "inhaler", 100, "microgram", 200, 8, 4, True,
     [], [], ["asthma"], 2, 7.97),
    ("Salbutamol Sandoz 100", "salbutamol", "R03AC02", "inhaler", 100, "microgram", 200, 8, 4, True,
     [], [], ["asthma"], 2, 5.24),
    ("Singulair 10 mg", "montelukast", "R03DC03", "tablet", 10, "mg", 28, 1, 15, True,
     ["lactose"], [], ["asthma"], 3, 24.17),
    ("Montelukast Accord 10 mg", "montelukast", "R03DC03", "tablet", 10, "mg", 28, 1, 15, True,
     ["lactose"], [], ["asthma"], 3, 12.63),
    ("Hydrocortisone 1% cream", "hydrocortisone", "D07AA02", "cream", 10, "mg/g", 15, 4, 10, False,
     [], [], ["eczema"], 2, 5.67),
    ("Escitalopram Krka 10 mg", "escitalopram", "N06AB10", "tablet", 10, "mg", 28, 2, 18, True,
     [], [], ["depression"], 3, 8.17),
    ("Cipralex 10 mg", "escitalopram", "N06AB10", "tablet", 10, "mg", 28, 2, 18, True,
     [], [], ["depression"], 3, 19.88),
    ("Topiramate Accord 50 mg", "topiramate", "N03AX11", "tablet", 50, "mg", 60, 4, 18, True,
     ["lactose"], ["pregnancy"], ["migraine"], 1, 16.29),
    ("Flixotide 125", "fluticasone", "R03BA05", "inhaler", 125, "microgram", 120, 8, 16, True,
     [], [], ["asthma"], 1, 21.54),
    ("Clarityn 10 mg", "loratadine", "R06AX13", "tablet", 10, "mg", 20, 1, 6, False,
     ["lactose"], [], ["hay fever"], 3, 8.46),
    ("Nexium Control 20 mg", "esomeprazole", "A02BC05", "tablet", 20, "mg", 14, 1, 18, False,
     [], ["pregnancy"], ["acid reflux"], 2, 10.23),
    ("Lamisil 1% cream", "terbinafine", "D01AE15", "cream", 10, "mg/g", 15, 5, 12, False,
     [], [], ["fungal infection"], 2, 8.71),
    ("Panadol 500 mg", "paracetamol", "N02BE01", "tablet", 500, "mg", 24, 8, 12, False,
     [], [], ["pain", "migraine"], 2, 3.58),
)  # fmt: skip

INTERACTIONS: tuple[tuple[str, str, str, str], ...] = (
    ("simvastatin", "clarithromycin", "contraindicated", "statin level rises, risk of rhabdomyolysis"),
    ("atorvastatin", "clarithromycin", "major", "statin level rises, risk of muscle damage"),
    ("simvastatin", "amlodipine", "major", "simvastatin must not exceed 20 mg a day with amlodipine"),
    ("simvastatin", "fluconazole", "major", "statin level rises, risk of muscle damage"),
    ("bisoprolol", "verapamil", "contraindicated", "severe bradycardia and heart block"),
    ("ramipril", "spironolactone", "major", "high potassium"),
    ("ramipril", "ibuprofen", "moderate", "weaker effect on blood pressure, strain on the kidneys"),
    ("ramipril", "naproxen", "moderate", "weaker effect on blood pressure, strain on the kidneys"),
    ("warfarin", "ibuprofen", "major", "bleeding"),
    ("warfarin", "naproxen", "major", "bleeding"),
    ("warfarin", "acetylsalicylic acid", "major", "bleeding"),
    ("warfarin", "fluconazole", "major", "INR rises, bleeding"),
    ("warfarin", "co-trimoxazole", "major", "INR rises, bleeding"),
    ("warfarin", "St John's wort", "contraindicated", "INR falls, loss of protection from clots"),
    ("apixaban", "ibuprofen", "major", "bleeding"),
    ("apixaban", "acetylsalicylic acid", "major", "bleeding"),
    ("apixaban", "St John's wort", "major", "apixaban level falls, loss of protection from clots"),
    ("sertraline", "St John's wort", "contraindicated", "serotonin syndrome"),
    ("sertraline", "tramadol", "major", "serotonin syndrome, seizures"),
    ("sertraline", "sumatriptan", "moderate", "serotonin syndrome"),
    ("sertraline", "ibuprofen", "moderate", "bleeding of the stomach"),
    ("levothyroxine", "ferrous sulfate", "moderate", "less levothyroxine absorbed, keep four hours apart"),
    ("losartan", "spironolactone", "major", "high potassium"),
    ("losartan", "ramipril", "major", "high potassium, strain on the kidneys"),
    ("losartan", "ibuprofen", "moderate", "weaker effect on blood pressure, strain on the kidneys"),
    ("rivaroxaban", "ibuprofen", "major", "bleeding"),
    ("rivaroxaban", "acetylsalicylic acid", "major", "bleeding"),
    ("rivaroxaban", "St John's wort", "major", "rivaroxaban level falls, loss of protection from clots"),
    ("escitalopram", "St John's wort", "contraindicated", "serotonin syndrome"),
    ("escitalopram", "tramadol", "major", "serotonin syndrome, seizures"),
    ("escitalopram", "sumatriptan", "moderate", "serotonin syndrome"),
    ("escitalopram", "ibuprofen", "moderate", "bleeding of the stomach"),
)  # fmt: skip

# test_id: name, LOINC, unit, low and high for women, low and high for men, fasting hours, days, price, decimals
LAB_TESTS: dict[str, tuple[Any, ...]] = {
    "LT-HBA1C": ("HbA1c", "59261-8", "mmol/mol", 20, 42, 20, 42, 0, 84, 14.85, 0),
    "LT-GLUC": ("fasting glucose", "14771-0", "mmol/l", 3.9, 5.5, 3.9, 5.5, 8, 28, 4.65, 1),
    "LT-LDL": ("LDL cholesterol", "39469-2", "mmol/l", None, 3.0, None, 3.0, 12, 42, 6.95, 1),
    "LT-TRIG": ("triglycerides", "14927-8", "mmol/l", None, 1.7, None, 1.7, 12, 42, 5.85, 1),
    "LT-TSH": ("TSH", "3016-3", "mIU/l", 0.4, 4.0, 0.4, 4.0, 0, 42, 12.35, 2),
    "LT-FT4": ("free T4", "14920-3", "pmol/l", 12.0, 22.0, 12.0, 22.0, 0, 42, 11.75, 1),
    "LT-CREA": ("creatinine", "14682-9", "umol/l", 45, 84, 59, 104, 0, 28, 3.95, 0),
    "LT-POT": ("potassium", "2823-3", "mmol/l", 3.5, 5.1, 3.5, 5.1, 0, 7, 3.45, 1),
    "LT-HB": ("haemoglobin", "718-7", "g/dl", 12.0, 15.5, 13.5, 17.5, 0, 14, 4.25, 1),
    "LT-FERR": ("ferritin", "2276-4", "ng/ml", 15, 150, 30, 400, 0, 56, 13.15, 0),
    "LT-INR": ("INR", "6301-6", "ratio", 2.0, 3.0, 2.0, 3.0, 0, 7, 7.25, 1),
    "LT-URAT": ("uric acid", "14933-6", "umol/l", 140, 360, 200, 430, 0, 28, 3.75, 0),
    "LT-CRP": ("C-reactive protein", "1988-5", "mg/l", None, 5.0, None, 5.0, 0, 3, 5.35, 1),
    "LT-ALT": ("ALT", "1742-6", "U/l", None, 35, None, 50, 0, 28, 3.65, 0),
    "LT-VITD": ("vitamin D", "1989-3", "ng/ml", 20, 60, 20, 60, 0, 90, 24.65, 0),
    "LT-GGT": ("gamma-GT", "2324-2", "U/l", None, 40, None, 60, 0, 28, 3.85, 0),
    "LT-FOL": ("folate", "14732-2", "nmol/l", 10, 42, 10, 42, 0, 90, 15.15, 0),
    "LT-B12": ("vitamin B12", "14685-6", "pmol/l", 150, 650, 150, 650, 0, 90, 16.45, 0),
}

MONITORING = {
    "type 2 diabetes": ("LT-HBA1C", "LT-GLUC", "LT-CREA"),
    "high cholesterol": ("LT-LDL", "LT-TRIG", "LT-ALT", "LT-GGT"),
    "underactive thyroid": ("LT-TSH", "LT-FT4"), "chronic kidney disease": ("LT-CREA", "LT-POT"),
    "iron deficiency": ("LT-HB", "LT-FERR"), "gout": ("LT-URAT", "LT-CREA"), "acid reflux": ("LT-B12", "LT-FOL"),
    "high blood pressure": ("LT-POT", "LT-CREA"), "heart failure": ("LT-POT", "LT-CREA"),
    "depression": ("LT-TSH", "LT-VITD"),
}  # fmt: skip
"""Which tests are usual in which condition."""


def _products(rows: tuple[tuple[Any, ...], ...], first: int) -> dict[str, Record]:
    keys = [f"MED-{first + 3 * number}" for number in range(len(rows))]
    products = (dict(zip(_FIELDS, row, strict=True)) for row in rows)
    return {key: {"medication_id": key, **product} for key, product in zip(keys, products, strict=True)}


def heart_and_metabolism() -> dict[str, Record]:
    """Products for heart, circulation, metabolism and blood."""
    return _products(_HEART_AND_METABOLISM, 101)


def everything_else() -> dict[str, Record]:
    """Products for infections, pain, allergies, stomach, mind, lungs and skin."""
    return _products(_THE_REST, 202)


def interactions() -> dict[str, Record]:
    """The pairs of ingredients to watch."""
    return {
        f"IA-{101 + number}": {
            "interaction_id": f"IA-{101 + number}", "ingredient_a": a, "ingredient_b": b, "severity": severity,
            "effect": effect,
        }
        for number, (a, b, severity, effect) in enumerate(INTERACTIONS)
    }  # fmt: skip


def lab_tests() -> dict[str, Record]:
    """The laboratory's catalogue."""
    fields = ("name", "loinc", "unit", "low_female", "high_female", "low_male", "high_male", "fasting_hours",
              "repeat_after_days", "price")  # fmt: skip
    return {key: {"test_id": key, **dict(zip(fields, row[:-1], strict=True))} for key, row in LAB_TESTS.items()}
