"""Costs of `weir update`: archives of many rules, many files and much else. A row returns the files of a source, by name,
and those of edits."""

import io
import pathlib
import shutil
import tarfile

from measure import Table
from rules import rule, rules, word


def command(binary, files):
    """An update of a folder that holds no rules yet, from an archive."""
    for made in ("rules", "update.tar"):
        shutil.rmtree(made, ignore_errors=True)
    with tarfile.open("update.tar", "w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            content = text.encode()
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
            if name.endswith(".conf"):
                pathlib.Path(name).write_bytes(content)
    edits = [word for name in files if name.endswith(".conf") for word in (f"--{name.removesuffix('.conf')}-conf", name)]
    return [binary, "update", "update.tar", "-o", "rules", *edits]


TABLE = Table(command, nothing={"some.rules": rule(1, 'content:"nothing"')})
row = TABLE.row


def of_words(n):
    return rules(n, lambda i: f'msg:"RULE {word(i)}"; content:"{word(i)}"; rev:{i + 1}')


@row(2_500)
def rules_of_one_file(n):
    return {"some.rules": of_words(n)}


@row(500)
def files_of_rules(n):
    return {f"part{i}.rules": rule(i + 1, f'content:"{word(i)}"') for i in range(n)}


@row(1_000)
def files_of_others(n):
    return {"some.rules": of_words(10), **{f"other/{i}.txt": "text" for i in range(n)}}


@row(300)
def folders_within_each_other(n):
    return {"some.rules": of_words(10), "a/" * min(n, 2_000) + "deep.rules": rule(99, 'content:"deep"')}


@row(2_500)
def rules_repeated(n):
    return {"some.rules": "".join(rule(1, f'content:"{word(i)}"; rev:{i + 1}') for i in range(n))}


@row(2_500)
def chains_of_flowbits(n):
    """Every second rule is off, and one that is on needs it."""
    chain = rules(n, lambda i: f'content:"{word(i)}"; flowbits:isset,bit{i}; flowbits:set,bit{i + 1}').splitlines()
    return {"some.rules": "\n".join(f"# {text}" if i % 2 else text for i, text in enumerate(chain)) + "\n"}


@row(2_500)
def rules_that_are_off(n):
    return {"some.rules": "".join(f"# {text}\n" for text in of_words(n).splitlines())}


@row(2_500, status=1)
def rules_with_mistakes(n):
    """The set in use stays."""
    return {"some.rules": rules(n, lambda i: f'contnet:"{word(i)}"') + of_words(10)}


@row(2_500)
def numbers_that_are_disabled(n):
    return {"some.rules": of_words(5_000), "disable.conf": "".join(f"{i * 2 + 1}\n" for i in range(n))}


@row(50)
def expressions_that_disable(n):
    return {"some.rules": of_words(1_000), "disable.conf": "".join(f"re:(a|b|c)+{word(i * 7)}x*\n" for i in range(n))}


@row(50)
def edits_of_all(n):
    return {"some.rules": of_words(1_000), "modify.conf": "".join(f'* "rev:(\\d+)" "rev:\\g<1>"\n' if i % 2 else f'{i + 1} "RULE" "{word(i)}"\n' for i in range(n))}


@row(2_500)
def lists_of_classes(n):
    classes = "".join(f"config classification: class-{i},Class {i},{i % 4 + 1}\n" for i in range(n))
    return {"some.rules": of_words(10), "classification.config": classes}
