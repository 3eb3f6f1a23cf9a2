"""A folder and a file of results, old and new, written and read back as commands do."""

from exactdp.execution import held_file, held_folder, outputs

__all__ = ["HEAD", "NEW", "OLD", "content", "foreign_folder", "write_file", "write_folder"]

OLD = {"verdicts.json": b"old", "certificates/a.json": b"old"}
NEW = {"verdicts.json": b"new", "certificates/a.json": b"new", "certificates/b.json": b"new"}
HEAD = b'{"format": "exactdp-fixtures/'


def write_folder(path, files):
    with held_folder(path) as place:
        place.write_folder(files)


def write_file(path, files):
    with held_file(path, head=HEAD) as place:
        place.write(HEAD + files["verdicts.json"])


def foreign_folder(path):
    """A folder in which somebody else's file has the name of one of ours."""
    path.mkdir()
    (path / "verdicts.json").write_text("mine")


def content(path):
    """What stands there: a file's bytes, a folder's files, None if nothing does."""
    if path.is_dir():
        files = {p.relative_to(path).as_posix(): p for p in path.rglob("*") if p.is_file()}
        return {name: p.read_bytes() for name, p in files.items() if name != outputs.SUMS}
    return path.read_bytes() if path.exists() else None
