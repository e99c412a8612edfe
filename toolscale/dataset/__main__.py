"""``python -m toolscale.dataset docs/dataset.md`` renews the dictionary of columns there, between its two marks."""

import sys
from pathlib import Path

from toolscale.dataset.dictionary import renewed

for name in sys.argv[1:]:
    Path(name).write_text(renewed(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
