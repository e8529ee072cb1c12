#!/usr/bin/env python3
"""Checks result files against the project's schema, and the digest of their samples.

    validate.py SCHEMA FILE...

Prints what is wrong, and exits with status 1 then. JSON is read strictly: no NaN, no key twice. The
digest is recomputed from what was read, so that it agrees only if the text of the samples was
canonical. What is null must have a reason beside it.
"""
import hashlib
import json
import sys

import jsonschema


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def refuse_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"a key is there twice: {names}")
    return dict(pairs)


def digest_of(samples):
    text = json.dumps(samples, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def unexplained(value, path):
    """Where a value is null without a reason beside it."""
    children = value.items() if isinstance(value, dict) else enumerate(
        value if isinstance(value, list) else [])
    for key, child in children:
        if child is None and not (isinstance(key, str) and value.get(key + "_why")):
            yield f"{path}.{key}"
        yield from unexplained(child, f"{path}.{key}")


def complaints(path, validator):
    with open(path, encoding="utf-8") as file:
        document = json.load(file, parse_constant=refuse_constant,
                             object_pairs_hook=refuse_duplicates)
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error:
        yield f"{path}: {error.json_path}: {error.message[:300]}"
    for place in unexplained(document, "$"):
        yield f"{path}: {place} is null, and nothing says why"
    for result in document if isinstance(document, list) else [document]:
        if result["digest"] != digest_of(result["samples"]):
            yield f"{path}: the digest is not that of the samples"


def main(schema_path, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    found = [text for path in paths for text in complaints(path, validator)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
