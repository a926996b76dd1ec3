"""Build the wheel, install it with its ``media`` extra in an empty environment, and use it as a new user would."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Build, install, use; the first step that fails ends it."""
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        oloproof = install(wheel, Path(folder) / "venv")
        use(oloproof, Path(folder))
    print(f"{wheel.name} works when installed in an empty environment")


def build(folder: Path) -> Path:
    """Return the wheel of this checkout."""
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder / "dist"), str(ROOT))
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def install(wheel: Path, venv: Path) -> str:
    """Return the ``oloproof`` command of a new environment that holds the wheel."""
    run(sys.executable, "-m", "venv", str(venv))
    pip = (str(venv / "bin" / "python"), "-m", "pip", "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-compile", f"oloproof[media] @ {wheel.as_uri()}")
    run(*pip, "check")
    return str(venv / "bin" / "oloproof")


def use(oloproof: str, folder: Path) -> None:
    """Go the way of the README, outside of the checkout."""
    run(oloproof, "--help", cwd=folder)
    run(oloproof, "init", "demo", cwd=folder)
    run(oloproof, "check", cwd=folder / "demo")
    run(oloproof, "run", cwd=folder / "demo")


def run(*command: str, cwd: Path | None = None) -> None:
    """Run one step; what it printed is shown when it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\n{' '.join(command)} ended with {done.returncode}")


if __name__ == "__main__":
    main()
