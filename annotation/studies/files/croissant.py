"""A data set of a study described in Croissant 1.0, the JSON-LD that data set searches and loaders of the field read.

Source: MLCommons, Croissant Format Specification 1.0, https://docs.mlcommons.org/croissant/docs/croissant-spec.html.
"""

import hashlib
import io
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from backend.errors import AnnotationError

FORMAT = "http://mlcommons.org/croissant/1.0"
PARQUET = "application/x-parquet"
# The context of the specification's appendix, as far as it is used here.
CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "samplingRate": "cr:samplingRate",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    title: str, about: str, files: Mapping[str, bytes], written: datetime, version: str, collected: Mapping[str, str]
) -> dict[str, Any]:
    """The description of a data set of Parquet files, by their path in its folder; each is a record set of its columns.

    Columns of objects are in the files and not among the fields. `collected` says how the data came about, by properties of
    Croissant's vocabulary for responsible AI.
    """
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": FORMAT,
        "name": title,
        "description": about,
        "datePublished": written.date().isoformat(),
        "version": version,
        **{f"rai:{name}": value for name, value in collected.items() if value},
        "distribution": [_file(path, content) for path, content in files.items()],
        "recordSet": [_records(path, content) for path, content in files.items()],
    }


def _file(path: str, content: bytes) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{len(content)} B",
        "encodingFormat": PARQUET,
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _records(path: str, content: bytes) -> dict[str, Any]:
    name = path.partition("/")[0]
    fields = [_field(name, path, column) for column in _schema(content) if _is_described(column.type)]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "field": fields}


def _is_described(kind: Any) -> bool:
    """Whether readers of Croissant can read such a column: `mlcroissant` takes values and lists of them, and no objects."""
    import pyarrow.types as kinds

    return not kinds.is_nested(kind.value_type if kinds.is_list(kind) else kind)


def _schema(content: bytes) -> Any:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise AnnotationError("Croissant needs pyarrow: pip install pyarrow.") from error
    return pyarrow.parquet.read_schema(io.BytesIO(content))


def _field(records: str, path: str, column: Any) -> dict[str, Any]:
    import pyarrow.types as kinds

    listed = kinds.is_list(column.type)
    kind = _data_type(column.type.value_type if listed else column.type)
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column.name}",
        "name": column.name,
        "dataType": kind,
        **({"repeated": True} if listed else {}),
        "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
    }


def _data_type(kind: Any) -> str:
    import pyarrow.types as kinds

    if kinds.is_boolean(kind):
        return "sc:Boolean"
    if kinds.is_integer(kind):
        return "sc:Integer"
    if kinds.is_floating(kind):
        return "sc:Float"
    return "sc:DateTime" if kinds.is_timestamp(kind) else "sc:Text"
