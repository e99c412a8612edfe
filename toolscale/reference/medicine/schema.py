"""The database of an outpatient clinic network, as a JSON Schema."""

from toolscale.artifacts.base import Schema

SPECIALTIES = ("general practice", "cardiology", "dermatology", "endocrinology", "neurology", "orthopaedics")
LANGUAGES = ("English", "German", "French", "Italian", "Spanish", "Dutch", "Portuguese", "Polish")
MODES = ("in person", "video")
FORMS = ("tablet", "capsule", "oral liquid", "inhaler", "cream", "gel")
ALLERGENS = ("penicillin", "macrolide", "tetracycline", "sulfonamide", "NSAID", "opioid", "lactose", "gelatin")
REACTIONS = ("skin rash", "facial swelling", "shortness of breath", "vomiting")
CONDITIONS = (
    "high blood pressure", "type 2 diabetes", "high cholesterol", "asthma", "atrial fibrillation", "heart failure",
    "underactive thyroid", "acid reflux", "depression", "migraine", "gout", "hay fever", "iron deficiency", "eczema",
    "chronic kidney disease", "stomach ulcer", "epilepsy", "pregnancy",
)  # fmt: skip
INDICATIONS = (*CONDITIONS[:14], "pain", "bacterial infection", "fungal infection")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
MOMENT = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$"


def _key(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^{pattern}$", "x-primary-key": True}


def _ref(target: str, optional: bool = False) -> Schema:
    return {"type": ["string", "null"] if optional else "string", "x-references": target}


def _one_of(values: tuple[str, ...], optional: bool = False) -> Schema:
    return {"enum": [*values, None]} if optional else {"type": "string", "enum": list(values)}


def _some_of(values: tuple[str, ...]) -> Schema:
    return {"type": "array", "items": _one_of(values), "uniqueItems": True}


def _optional(schema: Schema) -> Schema:
    return {**schema, "type": [schema["type"], "null"]}


def _number(low: float = 0, high: float | None = None, whole: bool = False) -> Schema:
    return {"type": "integer" if whole else "number", "minimum": low} | ({} if high is None else {"maximum": high})


def _record(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


def _table(description: str, **fields: Schema) -> Schema:
    return {"type": "object", "description": description, "additionalProperties": _record(**fields)}


TEXT: Schema = {"type": "string", "minLength": 1}
DATE: Schema = {"type": "string", "format": "date"}
TIME: Schema = {"type": "string", "pattern": r"^\d{2}:\d{2}$"}
START: Schema = {"type": "string", "pattern": MOMENT}
FLAG: Schema = {"type": "boolean"}
EUROS: Schema = {"type": "number", "minimum": 0, "description": "Euros."}
PHONE: Schema = {"type": "string", "pattern": r"^\+\d{2,3} [\d ]{6,15}$"}
EMAIL: Schema = {"type": "string", "format": "email"}
COUNTRY: Schema = {"type": "string", "pattern": "^[A-Z]{2}$", "description": "ISO 3166-1 alpha-2."}
LIMIT: Schema = _optional(_number())

TABLES: dict[str, Schema] = {
    "clinics": _table(
        "The network's outpatient clinics.",
        clinic_id=_key("CL-[A-Z]{3}"), name=TEXT, city=TEXT, country=COUNTRY, address=TEXT, phone=PHONE,
        opens=TIME, closes=TIME, open_days=_some_of(WEEKDAYS),
    ),
    "insurers": _table(
        "Health insurers that the network bills, and the share of a bill (percent) that they pay.",
        insurer_id=_key("INS-[A-Z]{3}"), name=TEXT, country=COUNTRY, kind=_one_of(("statutory", "private")),
        consultation_cover=_number(0, 100, whole=True), laboratory_cover=_number(0, 100, whole=True),
        covers_video=FLAG,
    ),
    "practitioners": _table(
        "Physicians and what a consultation with them costs.",
        practitioner_id=_key(r"DR-\d{4}"), name=TEXT, specialty=_one_of(SPECIALTIES),
        clinic_id=_ref("clinics.clinic_id"), languages=_some_of(LANGUAGES), fee=EUROS,
        minutes=_number(10, 60, whole=True), min_age=_number(0, 18, whole=True), referral_required=FLAG,
    ),
    "slots": _table(
        "Consultation times, free or taken.",
        slot_id=_key(r"SL-\d{5}"), practitioner_id=_ref("practitioners.practitioner_id"), start=START,
        mode=_one_of(MODES), status=_one_of(("open", "booked")),
    ),
    "patients": _table(
        "Registered patients.",
        patient_id=_key(r"PT-\d{5}"), name=TEXT, birth_date=DATE, sex=_one_of(("female", "male")), email=EMAIL,
        phone=PHONE, language=_one_of(LANGUAGES), home_clinic_id=_ref("clinics.clinic_id"),
        insurer_id=_ref("insurers.insurer_id", optional=True),
        allergies={
            "type": "array",
            "items": _record(allergen=_one_of(ALLERGENS), reaction=_one_of(REACTIONS), recorded_on=DATE),
        },
        conditions=_some_of(CONDITIONS),
    ),
    "medications": _table(
        "Products of the formulary. A unit is a tablet, a capsule, a puff, a millilitre or a gram.",
        medication_id=_key(r"MED-\d{3}"), name=TEXT, ingredient=TEXT,
        atc_code={"type": "string", "pattern": "^[A-Z]\\d{2}[A-Z]{2}\\d{2}$"}, form=_one_of(FORMS),
        strength=_number(), strength_unit=_one_of(("mg", "microgram", "mg/ml", "mg/g")),
        units_per_pack=_number(1, whole=True), max_daily_units=_number(1), min_age=_number(0, 18, whole=True),
        prescription_only=FLAG, allergens=_some_of(ALLERGENS), contraindications=_some_of(CONDITIONS),
        treats=_some_of(INDICATIONS), max_packs=_number(1, 6, whole=True), price=EUROS,
    ),
    "interactions": _table(
        "Pairs of active ingredients that must not, or not lightly, be taken together.",
        interaction_id=_key(r"IA-\d{3}"), ingredient_a=TEXT, ingredient_b=TEXT,
        severity=_one_of(("contraindicated", "major", "moderate")), effect=TEXT,
    ),
    "lab_tests": _table(
        "The laboratory's catalogue: units, reference ranges by sex, and how soon a test may be repeated.",
        test_id=_key("LT-[A-Z0-9]{2,8}"), name=TEXT, loinc={"type": "string", "pattern": r"^\d{3,5}-\d$"}, unit=TEXT,
        low_female=LIMIT, high_female=LIMIT, low_male=LIMIT, high_male=LIMIT,
        fasting_hours=_number(0, 14, whole=True), repeat_after_days=_number(1, 365, whole=True), price=EUROS,
    ),
    "prescriptions": _table(
        "What a physician prescribed, and how often it may still be filled.",
        prescription_id=_key(r"RX-\d{5}"), patient_id=_ref("patients.patient_id"),
        medication_id=_ref("medications.medication_id"), practitioner_id=_ref("practitioners.practitioner_id"),
        units_per_day=_number(0.5), packs_per_fill=_number(1, 6, whole=True), issued_on=DATE, valid_until=DATE,
        last_filled_on=DATE, refills_left=_number(0, 12, whole=True),
        collection=_one_of(("clinic pharmacy", "home delivery")), status=_one_of(("active", "expired", "on hold")),
    ),
    "referrals": _table(
        "A general practitioner's referrals to a specialty.",
        referral_id=_key(r"RF-\d{4}"), patient_id=_ref("patients.patient_id"),
        practitioner_id=_ref("practitioners.practitioner_id"), specialty=_one_of(SPECIALTIES[1:]),
        urgency=_one_of(("routine", "urgent")), issued_on=DATE, valid_until=DATE,
        status=_one_of(("open", "used", "expired")),
    ),
    "appointments": _table(
        "Consultations: to come, held and called off. A held one has no slot any more.",
        appointment_id=_key(r"AP-\d{5}"), patient_id=_ref("patients.patient_id"),
        practitioner_id=_ref("practitioners.practitioner_id"), slot_id=_ref("slots.slot_id", optional=True),
        referral_id=_ref("referrals.referral_id", optional=True), start=START, mode=_one_of(MODES), fee=EUROS,
        status=_one_of(("booked", "completed", "cancelled")), moves=_number(0, 2, whole=True),
        cancellation_reason=_one_of(("illness", "work", "travel", "no longer needed"), optional=True),
    ),
    "lab_results": _table(
        "Laboratory tests, ordered or reported; the value is in the test's unit.",
        result_id=_key(r"LR-\d{5}"), patient_id=_ref("patients.patient_id"), test_id=_ref("lab_tests.test_id"),
        practitioner_id=_ref("practitioners.practitioner_id", optional=True), sampled_on=DATE, value=LIMIT,
        status=_one_of(("ordered", "final")),
    ),
    "invoices": _table(
        "Bills: the insurer's share and the patient's add up to the amount.",
        invoice_id=_key(r"IN-\d{5}"), patient_id=_ref("patients.patient_id"),
        appointment_id=_ref("appointments.appointment_id", optional=True),
        kind=_one_of(("consultation", "laboratory", "late cancellation")), issued_on=DATE, due_on=DATE,
        amount=EUROS, insurer_share=EUROS, patient_share=EUROS, instalments=_number(1, 6, whole=True),
        status=_one_of(("open", "paid")), paid_on=_optional(DATE),
        payment_method=_one_of(("card", "bank transfer", "direct debit"), optional=True),
    ),
    "orders": _table(
        "Medicines without prescription, set aside at the patient's clinic.",
        order_id=_key(r"OR-\d{5}"), patient_id=_ref("patients.patient_id"),
        medication_id=_ref("medications.medication_id"), packs=_number(1, 6, whole=True), total=EUROS,
        pickup_on=DATE, status=_one_of(("ready", "collected")),
    ),
    "callbacks": _table(
        "Telephone calls that a physician owes a patient.",
        callback_id=_key(r"CB-\d{5}"), patient_id=_ref("patients.patient_id"),
        practitioner_id=_ref("practitioners.practitioner_id"),
        topic=_one_of(("lab result", "medication", "allergy", "symptoms")), day=DATE,
        status=_one_of(("planned", "done")),
    ),
}  # fmt: skip

SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": TABLES,
    "required": list(TABLES),
    "additionalProperties": False,
}
