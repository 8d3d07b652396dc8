"""What the site has besides the pages of this folder: made from the code whenever it is built."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
_FETCHED = "https://unpkg.com/iframe-worker/shim"
_WIDTHS = re.compile(r"76\.(?:25|234375)em")
_EMPTY_HEAD = re.compile(r"<th([^>]*)></th>")
_OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\((?:\.\./)*(?P<path>[^)#:]+)\)")


def _generated() -> Any:
    """The module next to this one; hooks are no package."""
    spec = importlib.util.spec_from_file_location("generated", ROOT / "docs" / "generated.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that are made."""
    made = _generated().reference()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    made["index.md"] = readme.replace("](docs/", "](")
    kernel = ROOT / "arena" / "games" / "kernel" / "README.md"
    made["reference/kernel.md"] = kernel.read_text(encoding="utf-8")
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Files of the repository that are no pages are named, not linked."""

    def named(found: re.Match[str]) -> str:
        target = found["path"]
        here = Path(page.file.src_uri).parent
        if files.get_file_from_path((here / target).as_posix()) is not None:
            return found.group()
        if files.get_file_from_path(target) is not None:
            return found.group()
        return f"{found['text']} (`{target}` in the repository)"

    return _OUTSIDE.sub(named, markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Search works in files that are opened offline; screen readers get the names they need."""
    up = "../" * page.file.dest_uri.count("/")
    output = output.replace(_FETCHED, f"{up}assets/file-worker.js")
    output = output.replace('class="md-search"', 'class="md-search" aria-label="Search"')
    return _EMPTY_HEAD.sub(r"<td\1></td>", output)


def on_post_build(config: Any) -> None:
    """The navigation stays visible from 960 px on; the theme hides it below 1220."""
    for pattern in ("stylesheets/*.css", "javascripts/bundle*.js"):
        for path in (Path(config.site_dir) / "assets").glob(pattern):
            text = path.read_text(encoding="utf-8")
            path.write_text(_WIDTHS.sub(_narrower, text), encoding="utf-8")


def _narrower(found: re.Match[str]) -> str:
    return {"76.25em": "60em", "76.234375em": "59.984375em"}[found.group()]


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """The same for the page that is shown for a wrong address."""
    return output_content.replace(_FETCHED, "assets/file-worker.js")
