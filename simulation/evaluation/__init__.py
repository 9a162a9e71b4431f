"""The papers' evaluations, run again: models, measurements, and the pages that state them.

Every evaluation is two functions: one measures (parameters in, figures out, seeded), one presents
(figures in, page out, pure). `registry` names them; `precede evaluate` runs them.
"""
