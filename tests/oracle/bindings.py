"""How the calls that a command timed were bound: by what its file says, and by what each process
printed of its slots. Used by crosscheck.py.
"""


def count(printed, key):
    value = printed.get(key)
    return value if isinstance(value, int) and value >= 0 else None


def of_process(printed, how):
    """pass, fail, or withdrawn where the process does not tell."""
    slots, before, after = (count(printed, k) for k in ("slots", "bound_before", "bound_after"))
    if None in (slots, before, after):
        return "withdrawn"
    if slots == 0:  # there is nothing that could be bound
        return "fail"
    if how == "now":
        return "pass" if before >= slots else "fail"
    return "pass" if before != slots and after > before else "fail"


def of_file(file, how):
    """Any file may be bound before; lazily only one that does not ask for anything else."""
    binding = (file or {}).get("binding")
    if how == "now" or binding == "lazy":
        return "pass"
    return "withdrawn" if binding is None else "fail"


def bound_verdicts(file, samples, how):
    return [of_file(file, how)] + [of_process(s.get("printed") or {}, how) for s in samples] + (
        [] if samples else ["withdrawn"])


def reduced(printed, metric):
    """What a metric takes of what was printed: a number, an entry of a list, or all of a list, of
    which the mean or the median is to be taken."""
    value = printed.get(metric["printed"])
    is_list = isinstance(value, list)
    if "at" in metric:
        return value[metric["at"] - 1] if is_list and len(value) >= metric["at"] else None
    if "of" in metric:
        return value if is_list and value else None
    return None if is_list else value
