"""Queries that the graph which ships with Parley answers, with every feature that is covered, drawn by seed."""

import random
from string import Template

from inspired.knowledge_base.graph import Graph
from inspired.logical_form.forms import Entity

NS = "http://rdf.freebase.com/ns/"
HEADER = """FILTER (?x != $country)
FILTER (!isLiteral(?x) OR lang(?x) = '' OR langMatches(lang(?x), 'en'))"""
# What follows a bar stands behind the braces.
FEATURES = {
    "one predicate": "$country ns:location.country.official_language ?x .",
    "composition": "?c ns:location.country.capital $capital . ?c ns:location.country.languages_spoken ?x . FILTER (?x != ?c)",
    "mediating node": f"""{HEADER}
$country ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x .
?x ns:base.locations.countries.continent $continent .""",
    "restrictions": f"""{HEADER}
$country ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x .
?x ns:common.topic.notable_types ns:m.type_country . ?x ns:base.locations.countries.continent $continent .""",
    "alternatives": """{ $country ns:location.country.official_language ?x } UNION
{ $country ns:location.country.languages_spoken ?x .
?x ns:language.human_language.writing_system ns:m.script_latn }""",
    "number": """$continent_member ?x . ?x ns:location.location.area ?num . FILTER (xsd:double(?num) > $area)""",
    "number of a mediating node": """
$country ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x .
?x ns:location.statistical_region.population ?p . ?p ns:measurement_unit.dated_integer.number ?num .
FILTER (?num >= 1000000 && ?num < 90000000)""",
    "date": """$continent_member ?x . ?x ns:location.country.independence_date ?num .
FILTER (xsd:datetime(?num) < "$year"^^xsd:dateTime)""",
    "window": """$country ns:location.country.currency_history ?y . ?y ns:finance.currency_use.currency ?x .
FILTER(NOT EXISTS {?y ns:finance.currency_use.from ?sk0} ||
EXISTS {?y ns:finance.currency_use.from ?sk1 . FILTER(xsd:datetime(?sk1) <= "$year-12-31"^^xsd:dateTime) })
FILTER(NOT EXISTS {?y ns:finance.currency_use.to ?sk2} ||
EXISTS {?y ns:finance.currency_use.to ?sk3 . FILTER(xsd:datetime(?sk3) >= "$year-01-01"^^xsd:dateTime) })""",
    "still so": """$country ns:location.country.currency_history ?y . ?y ns:finance.currency_use.currency ?x .
FILTER (NOT EXISTS { ?y ns:finance.currency_use.to [] })""",
    "largest": """$continent_member ?x . ?x ns:location.location.area ?num . | ORDER BY DESC(?num) LIMIT 1""",
    "second smallest": """
$country ns:location.location.adjoin_s ?y . ?y ns:location.adjoining_relationship.adjoins ?x .
?x ns:location.statistical_region.population ?p . ?p ns:measurement_unit.dated_integer.number ?num .
| ORDER BY ?num LIMIT 1 OFFSET 1""",
    "several kinds": """?x ns:location.country.official_language $language . ?x ns:type.object.type ns:location.country .
?x ns:common.topic.notable_types ?k . ?k ns:type.object.name ?n . FILTER (str(?n) = "Country")""",
}


def world_query(graph: Graph, feature: str, seed: int) -> str:
    """A query with this feature about a country that has all that is spoken of."""
    draw = random.Random(f"{feature} {seed}")
    needed = ("capital", "official_language", "currency_history")
    countries = [
        each
        for each in graph.members("location.country")
        if all(graph.objects(each, f"location.country.{name}") for name in needed)
        and len(graph.objects(each, "location.location.adjoin_s")) > 1
    ]
    country = draw.choice(countries)
    chosen = {
        "country": Entity(country),
        "continent": graph.objects(country, "base.locations.countries.continent")[0],
        "capital": graph.objects(country, "location.country.capital")[0],
        "language": graph.objects(country, "location.country.official_language")[0],
    }
    named = {name: f"ns:{node.id}" for name, node in chosen.items() if isinstance(node, Entity)}
    body = FEATURES[feature].replace("$continent_member ?x", "?x ns:base.locations.countries.continent $continent")
    body = Template(body).substitute(named, area=draw.choice([500, 50_000, 500_000]), year=draw.choice([1922, 1962, 1995]))
    patterns, _, modifiers = body.partition("| ")
    return f"PREFIX ns: <{NS}>\nSELECT DISTINCT ?x\nWHERE {{\n{patterns}\n}} {modifiers}\n"
