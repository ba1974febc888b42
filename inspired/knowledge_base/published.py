"""The words in which RDF is published: names, classes and properties in the vocabularies that nearly everybody uses."""

import re
from urllib.parse import unquote

from inspired.logical_form.forms import Literal

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
FOAF = "http://xmlns.com/foaf/0.1/"
SCHEMA = ("http://schema.org/", "https://schema.org/")
DC = ("http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/")

RDF_TYPE = f"{RDF}type"
SUBCLASS = f"{RDFS}subClassOf"
SUBPROPERTY = f"{RDFS}subPropertyOf"
# Which property says of what kind a thing is, and which says that a kind is narrower than another.
WIKIDATA = "http://www.wikidata.org/prop/direct/"
KINDS = {RDF_TYPE: SUBCLASS, f"{WIKIDATA}P31": f"{WIKIDATA}P279"}
# Wikidata tells the names of properties at items; these lead from such an item to its properties.
_WIKIBASE = "http://wikiba.se/ontology#"
CLAIMS = frozenset(
    f"{_WIKIBASE}{each}"
    for each in ("directClaim", "claim", "statementProperty", "statementValue", "qualifier", "qualifierValue")
)
# Best first.
LABELS = (
    f"{SKOS}prefLabel",
    f"{RDFS}label",
    *(f"{each}name" for each in SCHEMA),
    f"{FOAF}name",
    *(f"{each}title" for each in DC),
    *(f"{each}headline" for each in SCHEMA),
    "http://www.w3.org/2006/vcard/ns#fn",
    "http://www.geonames.org/ontology#name",
    "http://purl.org/ontology/mo/title",
)
# Names of things in vocabularies for one subject.
MORE_LABELS = (
    "http://usefulinc.com/ns/doap#name",
    "http://lv2plug.in/ns/lv2core#name",
    f"{FOAF}givenName",
    f"{FOAF}mbox",
)
# In whichever vocabulary: a property that ends so holds a name.
NAMING_ENDS = frozenset(("name", "label", "title", "preflabel", "fullname", "displayname", "hasname"))
OTHER_LABELS = frozenset(
    (
        f"{SKOS}altLabel",
        f"{SKOS}hiddenLabel",
        f"{RDFS}altLabel",
        *(f"{each}alternateName" for each in SCHEMA),
        *(f"{each}alternative" for each in DC),
        f"{FOAF}nick",
        "http://www.geonames.org/ontology#alternateName",
        "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym",
        "http://www.geneontology.org/formats/oboInOwl#hasSynonym",
    )
)
DOMAINS = frozenset((f"{RDFS}domain", *(f"{each}domainIncludes" for each in SCHEMA)))
RANGES = frozenset((f"{RDFS}range", *(f"{each}rangeIncludes" for each in SCHEMA)))
INVERSES = frozenset((f"{OWL}inverseOf", *(f"{each}inverseOf" for each in SCHEMA)))
CLASSES = frozenset((f"{RDFS}Class", f"{OWL}Class"))
# From a thing up to the group that it belongs to.
UPWARD = frozenset((SUBCLASS, f"{SKOS}broader", f"{SKOS}inScheme", *(f"{each}isPartOf" for each in (*DC, *SCHEMA))))
# Of the language of a name: English is best, then none, then any other.
_ENGLISH, _NO_LANGUAGE, _OTHER = 0, 1, 2
_OPAQUE = re.compile(r"(?=(?:.*\d){4})[\w.-]+")


_DUBLIN_CORE = {
    "creator": ("creator author maker create make write", "create make write work"),
    "contributor": ("contributor contribute help", "contribute help"),
    "publisher": ("publisher publish", "publish"),
    "created": ("created added introduced made date", ""),
    "modified": ("modified changed updated revised edited date", ""),
    "issued": ("issued published released date", ""),
    "subject": ("subject topic about", "about"),
    "language": ("language written", ""),
    "isPartOf": ("part belong", "part contain include"),
    "hasPart": ("part contain include", "part belong"),
    "source": ("source taken", ""),
}
_SCHEMA_ORG = {
    "alumniOf": ("alumnus school university study graduate", "alumnus student study graduate"),
    "nationality": ("nationality country citizen", "citizen national"),
    "worksFor": ("employer work", "employee staff work"),
    "workLocation": ("work location", "work"),
    "jobTitle": ("job title profession work", ""),
    "birthDate": ("birth born birthday", ""),
    "deathDate": ("death died", ""),
    "birthPlace": ("birth born", "born"),
    "spouse": ("spouse husband wife married", "spouse husband wife married"),
    "author": ("author writer write", "write book work"),
    "location": ("location place where", ""),
}
# What people call well-known properties besides their labels, from the thing that has them and from the other end.
WORDS = {
    SUBCLASS: ("superclass parent broader supertype kind", "subclass child narrower subtype kind type"),
    SUBPROPERTY: ("superproperty parent broader", "subproperty child narrower"),
    f"{SKOS}broader": ("broader wider parent", "narrower child kind"),
    f"{SKOS}narrower": ("narrower child kind", "broader wider parent"),
    f"{SKOS}related": ("related", "related"),
    f"{SKOS}definition": ("definition meaning mean", ""),
    f"{RDFS}comment": ("comment description definition meaning mean", ""),
    f"{FOAF}knows": ("knows know acquaintance friend", "knows know acquaintance friend"),
    f"{RDFS}domain": ("domain", "domain"),
    f"{RDFS}range": ("range", "range"),
    f"{SKOS}inScheme": ("scheme vocabulary class belong", "scheme code concept term entry belong contain"),
    f"{SKOS}notation": ("notation code symbol abbreviation", ""),
    "http://usefulinc.com/ns/doap#release": ("release version", ""),
    "http://usefulinc.com/ns/doap#revision": ("release version number", ""),
    "http://usefulinc.com/ns/doap#maintainer": ("maintainer maintain", "maintain project"),
    "http://usefulinc.com/ns/doap#developer": ("developer develop write", "develop project"),
    **{f"{each}{name}": words for each in DC for name, words in _DUBLIN_CORE.items()},
    **{f"{each}{name}": words for each in SCHEMA for name, words in _SCHEMA_ORG.items()},
}


def label_rank(predicate: str, label: Literal) -> tuple[int, int]:
    """How good a name is: the smaller the better."""
    language = (label.language or "").partition("-")[0]
    spoken = _ENGLISH if language == "en" else _OTHER if language else _NO_LANGUAGE
    return spoken, LABELS.index(predicate) if predicate in LABELS else len(LABELS)


_NEARLY_ALL = 0.9


def may_hold_names(predicate: str) -> bool:
    """Whether a property is called a name of some sort: `vollerName`, `shipname`."""
    return "://" in predicate and local_name(predicate).lower().endswith("name")


def names_a_kind(things: int, having: int, values: int) -> bool:
    """Whether a property names the `things` of a kind: nearly all are `having` it, and nearly each another of its `values`."""
    return having >= _NEARLY_ALL * things and values >= _NEARLY_ALL * having


def local_name(iri: str) -> str:
    """The end of an IRI: `flowsInto` of `http://example.org/prop/flowsInto`; never a part of the host."""
    if "://" not in iri:
        return iri.rpartition(":")[2] if iri.startswith("urn:") else iri
    path = iri.partition("://")[2].rstrip("/#")
    _, slash, rest = path.partition("/")
    end = re.split(r"[/#]", rest if slash else path.partition("#")[2])[-1]
    return unquote(end)


def local_words(iri: str) -> str:
    """The end of an IRI as words: "flows into"; empty for one that has only a host."""
    name = local_name(iri)
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = re.sub(r"[_\-+.]+", " ", parted).split()
    if name[:1].islower():  # a property, or a thing that is called in small letters
        words = [each if each.isupper() and len(each) > 1 else each.lower() for each in words]
    return " ".join(words)


_PLAIN = re.compile(r"[A-Za-z][A-Za-z_-]{3,}")


def is_telling(iri: str) -> bool:
    """Whether the end of an IRI is made of words, which in published graphs are English."""
    return _PLAIN.fullmatch(local_name(iri)) is not None


def is_opaque(iri: str) -> bool:
    """Whether the end of an IRI tells people nothing: `Q42-7a1b0c44` and the like."""
    return _OPAQUE.fullmatch(local_name(iri)) is not None
