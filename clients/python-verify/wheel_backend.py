"""Builds the wheel and the source archive of this folder (PEP 517), with the standard library alone."""

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = "treeos_verify"
PROJECT = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
STEM = f"{PACKAGE}-{PROJECT['version']}"
INFO = f"{STEM}.dist-info"
MADE_AT = (2026, 1, 1, 0, 0, 0)  # the same bytes from the same sources


def metadata():
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {PROJECT['name']}",
        f"Version: {PROJECT['version']}",
        f"Summary: {PROJECT['description']}",
        f"License: {PROJECT['license']['text']}",
        f"Requires-Python: {PROJECT['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (HERE / PROJECT["readme"]).read_text("utf-8")


def sources():
    return sorted(path for path in (HERE / PACKAGE).rglob("*.py"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    scripts = "".join(f"{name} = {place}\n" for name, place in PROJECT["scripts"].items())
    files = {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sources()}
    files |= {
        f"{INFO}/METADATA": metadata().encode(),
        f"{INFO}/WHEEL": b"Wheel-Version: 1.0\nGenerator: treeos-verify\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{INFO}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
    }
    record = f"{INFO}/RECORD"
    rows = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[record] = ("\n".join([*rows, f"{record},,"]) + "\n").encode()
    name = f"{STEM}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file, data in files.items():
            entry = zipfile.ZipInfo(file, MADE_AT)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            wheel.writestr(entry, data)
    return name


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def build_sdist(sdist_directory, config_settings=None):
    name = f"{STEM}.tar.gz"
    files = [HERE / "pyproject.toml", HERE / "README.md", Path(__file__), *sources()]
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in files:
            add(archive, f"{STEM}/{path.relative_to(HERE).as_posix()}", path.read_bytes())
        add(archive, f"{STEM}/PKG-INFO", metadata().encode())
    return name


def add(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))
