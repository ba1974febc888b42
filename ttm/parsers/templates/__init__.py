"""Templates of questions and their parses, and what is generated from them.

    from ttm.parsers.templates import Template, load_templates
    from ttm.parsers.templates.generate import Example, generate

    examples = generate(dataset.schema, seed=0, frame=dataset.frame)   # list[Example], deterministic for a seed
    examples = generate(schema)                                        # without rows: values from each feature's bounds
    examples = generate(schema, seed, fraction=0.2)                    # a random fifth of the templates (appendix B.3)
    examples = generate(schema, seed, most_per_template=10)            # fewer fillings of each (50 by default)
    examples = generate(schema, seed, templates=chosen)                # only these templates

An Example holds `utterance`, `parse` (canonical, ending in ` [e]`, as `str(Parse)` gives it) and `template` (the template's
utterance, which names it). `load_templates()` gives all templates, each with `utterance`, `parse`, `file` and `line`.
`Filler(Vocabulary(schema, seed, frame)).examples(template, most)` in `generate.py` fills a single one.
"""

from ttm.parsers.templates.template import UtteranceTemplate, load_templates, read_templates

__all__ = ["UtteranceTemplate", "load_templates", "read_templates"]
