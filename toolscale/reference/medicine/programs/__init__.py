"""The task programs of the clinic network, by theme."""

from toolscale.reference.medicine.programs.appointments import APPOINTMENTS
from toolscale.reference.medicine.programs.billing import BILLING
from toolscale.reference.medicine.programs.combined import COMBINED
from toolscale.reference.medicine.programs.laboratory import LABORATORY
from toolscale.reference.medicine.programs.medicines import MEDICINES
from toolscale.reference.medicine.programs.prescriptions import PRESCRIPTIONS
from toolscale.reference.medicine.programs.refilling import REFILLING
from toolscale.reference.medicine.programs.refused import REFUSED
from toolscale.reference.medicine.programs.refused_desk import REFUSED_AT_THE_DESK
from toolscale.reference.medicine.programs.refused_medicines import REFUSED_MEDICINES
from toolscale.reference.medicine.programs.visits import VISITS

PROGRAMS = (
    *APPOINTMENTS,
    *VISITS,
    *PRESCRIPTIONS,
    *MEDICINES,
    *LABORATORY,
    *BILLING,
    *COMBINED,
    *REFILLING,
    *REFUSED,
    *REFUSED_MEDICINES,
    *REFUSED_AT_THE_DESK,
)
