"""What the university offers, written by hand: terms, courses, scholarships, books and study rooms."""

from collections.abc import Mapping
from typing import NamedTuple

# term id, name, first day, last day, last day to enrol, last day to withdraw
TERMS: tuple[tuple[str, str, str, str, str, str], ...] = (
    ("spring-2026", "Spring term 2026", "2026-02-02", "2026-05-22", "2026-01-16", "2026-05-01"),
    ("block-2026", "Autumn block 2026", "2026-09-07", "2026-10-30", "2026-08-28", "2026-10-16"),
    ("autumn-2026", "Autumn term 2026", "2026-09-07", "2026-12-18", "2026-08-28", "2026-12-04"),
    ("spring-2027", "Spring term 2027", "2027-02-01", "2027-05-21", "2027-01-15", "2027-04-30"),
)


class Subject(NamedTuple):
    """A department: the letters of its course numbers, its campus, and two courses for each of three levels."""

    letters: str
    campus: str
    titles: tuple[str, str, str, str, str, str]


SUBJECTS: Mapping[str, Subject] = {
    "Computer Science": Subject("COMP", "hill", ("Introduction to Programming", "Discrete Structures", "Operating "
    "Systems", "Database Design", "Distributed Computing", "Compiler Construction")),
    "Mathematics": Subject("MATH", "hill", ("Linear Algebra", "Calculus in One Variable", "Probability Theory",
    "Numerical Analysis", "Stochastic Processes", "Algebraic Topology")),
    "Economics": Subject("ECON", "city", ("Principles of Microeconomics", "Bookkeeping for Beginners",
    "Macroeconomic Policy", "Econometrics", "Labour Economics", "Game Theory in Markets")),
    "Biology": Subject("BIOL", "harbour", ("Cell Biology", "Field Botany", "Marine Ecology", "Molecular Genetics",
    "Conservation Biology", "Population Genetics")),
    "History": Subject("HIST", "city", ("Reading Medieval Sources", "Europe since 1789", "History of Trade Routes",
    "The Age of Steam", "Archives and Memory", "Empires of the Baltic")),
    "Psychology": Subject("PSYC", "city", ("Foundations of Psychology", "Research Methods", "Cognitive Psychology",
    "Developmental Psychology", "Clinical Interviewing", "Psychology of Work")),
    "Environmental Engineering": Subject("ENVI", "harbour", ("Engineering Mechanics", "Materials and Loads",
    "Hydrology", "Wastewater Treatment", "Coastal Protection", "Renewable Energy Systems")),
}  # fmt: skip
"""Department -> what it teaches. Level 2 asks for a course of level 1, level 3 for one of level 2."""

CREDITS = {1: 5, 2: 6, 3: 8}
FEE_PER_CREDIT = {"Computer Science": 64.0, "Mathematics": 52.5, "Economics": 58.0, "Biology": 71.5, "History": 47.0,
                  "Psychology": 61.0, "Environmental Engineering": 74.0}  # fmt: skip

# department -> titles of what is handed in, weight in percent, longest extension in days
ASSIGNMENTS: Mapping[str, tuple[tuple[str, int, int], ...]] = {
    "Computer Science": (("coding exercise 3", 15, 5), ("project report", 35, 7), ("code review", 22, 0)),
    "Mathematics": (("problem set 7", 10, 3), ("take-home exam", 40, 0), ("proof portfolio", 30, 7)),
    "Economics": (("case study", 18, 5), ("data project", 28, 7), ("group presentation", 24, 0)),
    "Biology": (("lab report 4", 12, 5), ("herbarium sheet", 21, 7), ("lab practical", 36, 0)),
    "History": (("source commentary", 20, 5), ("term paper", 45, 7), ("oral presentation", 14, 0)),
    "Psychology": (("literature review", 31, 7), ("study protocol", 26, 5), ("observed interview", 19, 0)),
    "Environmental Engineering": (("site report", 23, 5), ("design project", 38, 7), ("safety test", 16, 0)),
}

# name, EUR, department, least average, least credits, last day to apply
SCHOLARSHIPS: tuple[tuple[str, float, str | None, float, int, str], ...] = (
    ("Lighthouse Grant", 900.0, None, 60.0, 30, "2026-12-11"),
    ("Second Step Bursary", 450.0, None, 52.0, 0, "2026-12-18"),
    ("Founders' Prize", 2400.0, None, 82.0, 90, "2026-12-04"),
    ("Bridge Scholarship", 1350.0, None, 70.0, 60, "2027-01-08"),
    ("Open Door Grant", 650.0, None, 55.0, 20, "2026-11-30"),
    ("Quay Laboratory Award", 1600.0, "Biology", 68.0, 40, "2026-12-15"),
    ("Abacus Award", 1550.0, "Mathematics", 66.0, 40, "2026-12-09"),
    ("Silicon Hill Stipend", 1800.0, "Computer Science", 72.0, 45, "2026-12-14"),
    ("Chronicle Fund", 1100.0, "History", 62.0, 30, "2027-01-12"),
    ("Ledger Stipend", 1250.0, "Economics", 64.0, 35, "2026-12-10"),
    ("Tidal Works Grant", 1700.0, "Environmental Engineering", 69.0, 45, "2027-01-05"),
    ("Listening Ear Bursary", 1050.0, "Psychology", 61.0, 30, "2026-12-16"),
)

# department -> titles on its shelves
BOOKS: Mapping[str, tuple[str, ...]] = {
    "Computer Science": ("Queues, Locks and Threads", "The Patient Programmer", "Tables That Scale", "Parsing from "
    "Scratch", "A Primer of Networks", "Proofs for Programmers"),
    "Mathematics": ("Vectors Without Tears", "A Course in Measure", "Chance and Its Laws", "Shapes in Many Dimensions",
    "Numbers That Converge", "The Calculus Companion"),
    "Economics": ("Markets in Motion", "The Price of Everything Else", "Regression at Work", "Money and Its Masters",
    "Bargains and Games", "The Wage Puzzle"),
    "Biology": ("Life Under the Pier", "The Field Guide to Dune Plants", "Reading the Genome", "Membranes and Motors",
    "Islands and Extinction", "The Tidal Zone"),
    "History": ("Salt Roads of the North", "Parchment and Power", "Steam, Iron and Bread", "The Amber Coast",
    "A Continent in Revolt", "What Archives Hide"),
    "Psychology": ("The Attentive Mind", "Childhood in Stages", "Asking Good Questions", "Samples and Scales",
    "The Working Day", "Memory on Trial"),
    "Environmental Engineering": ("Rivers by Numbers", "Beams, Loads and Failure", "Clean Water Works", "Dikes and "
    "Dunes", "Wind, Sun and Grid", "Soil Mechanics in Practice"),
}  # fmt: skip

# number, name, campus, seats, equipment
ROOMS: tuple[tuple[str, str, str, int, tuple[str, ...]], ...] = (
    ("RM-101", "Reading Nook", "city", 2, ()),
    ("RM-104", "Arcade Room", "city", 4, ("whiteboard",)),
    ("RM-110", "Clock Tower Room", "city", 6, ("whiteboard", "screen")),
    ("RM-115", "Debating Room", "city", 10, ("whiteboard", "screen", "video link")),
    ("RM-120", "Music Room", "city", 8, ("piano",)),
    ("RM-203", "Anchor Room", "harbour", 3, ("whiteboard",)),
    ("RM-206", "Lantern Room", "harbour", 5, ("screen",)),
    ("RM-211", "Boathouse", "harbour", 8, ("whiteboard", "screen")),
    ("RM-214", "Chart Room", "harbour", 12, ("whiteboard", "screen", "video link")),
    ("RM-302", "Attic", "hill", 2, ("whiteboard",)),
    ("RM-305", "Orchard Room", "hill", 4, ("screen",)),
    ("RM-308", "Observatory Room", "hill", 6, ("whiteboard", "video link")),
    ("RM-312", "Seminar Corner", "hill", 9, ("whiteboard", "screen")),
    ("RM-316", "Panorama Room", "hill", 14, ("whiteboard", "screen", "video link")),
)
