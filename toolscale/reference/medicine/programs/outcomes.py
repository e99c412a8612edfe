"""Figures that patients want worked out of what a request led to."""

from toolscale.reference.computed import Figure, computed

FIGURES = (
    Figure(
        ("pay_invoice",), "patient_share", "what I pay", "what I pay on the invoices", {"pay_invoice": (20.0, 50.0)}
    ),
    Figure(
        ("order_medication",),
        "total",
        "the price of the packs",
        "the prices of the packs",
        {"order_medication": (10.0, 20.0)},
    ),
    Figure(
        ("order_lab_test",),
        "price",
        "the price of the test",
        "the prices of the tests",
        {"order_lab_test": (5.0, 15.0)},
    ),
    Figure(
        ("book_appointment",),
        "fee",
        "the doctor's fee before insurance",
        "the doctors' fees before insurance",
        {"book_appointment": (40.0, 80.0)},
    ),
)

OUTCOMES = computed(*FIGURES)
