"""The methods that a report uses, and how to cite them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """A publication, and what of it is used."""

    key: str
    what: str
    authors: str
    title: str
    journal: str
    volume: str
    pages: str
    year: int

    @property
    def short(self) -> str:
        """As it is cited in a sentence."""
        names = [author.partition(",")[0].strip() for author in self.authors.split(" and ")]
        who = names[0] if len(names) == 1 else " & ".join(names[:2])
        return f"{names[0]} et al. {self.year}" if len(names) > 2 else f"{who} {self.year}"


WORKS: dict[str, Work] = {
    work.key: work
    for work in (
        Work(
            "student1908",
            "the paired t-test on deals",
            "Student",
            "The probable error of a mean",
            "Biometrika",
            "6",
            "1--25",
            1908,
        ),
        Work(
            "stefani1980",
            "score ratings by least squares",
            "Stefani, Raymond T.",
            "Improved least squares football, basketball, and soccer predictions",
            "IEEE Transactions on Systems, Man, and Cybernetics",
            "10",
            "116--123",
            1980,
        ),
        Work(
            "pustejovsky2018",
            "errors clustered by deal (CR2)",
            "Pustejovsky, James E. and Tipton, Elizabeth",
            "Small-sample methods for cluster-robust variance estimation and hypothesis testing "
            "in fixed effects models",
            "Journal of Business \\& Economic Statistics",
            "36",
            "672--683",
            2018,
        ),
        Work(
            "hothorn2008",
            "simultaneous intervals and p-values (max-t)",
            "Hothorn, Torsten and Bretz, Frank and Westfall, Peter",
            "Simultaneous inference in general parametric models",
            "Biometrical Journal",
            "50",
            "346--363",
            2008,
        ),
        Work(
            "piepho2004",
            "letters",
            "Piepho, Hans-Peter",
            "An algorithm for a letter-based representation of all-pairwise comparisons",
            "Journal of Computational and Graphical Statistics",
            "13",
            "456--466",
            2004,
        ),
        Work(
            "mogstad2024",
            "ranges of ranks",
            "Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel",
            "Inference for ranks with applications to mobility across neighbourhoods and academic "
            "achievement across countries",
            "The Review of Economic Studies",
            "91",
            "476--518",
            2024,
        ),
        Work(
            "hotelling1931",
            "whether margins add up",
            "Hotelling, Harold",
            "The generalization of Student's ratio",
            "The Annals of Mathematical Statistics",
            "2",
            "360--378",
            1931,
        ),
        Work(
            "holm1979",
            "adjusted p-values of direct meetings",
            "Holm, Sture",
            "A simple sequentially rejective multiple test procedure",
            "Scandinavian Journal of Statistics",
            "6",
            "65--70",
            1979,
        ),
        Work(
            "bradley1952",
            "Elo by maximum likelihood",
            "Bradley, Ralph Allan and Terry, Milton E.",
            "Rank analysis of incomplete block designs: {I}. {T}he method of paired comparisons",
            "Biometrika",
            "39",
            "324--345",
            1952,
        ),
    )
}


def bibtex(keys: Iterable[str]) -> str:
    """The works as BibTeX."""
    return "\n\n".join(_entry(WORKS[key]) for key in keys) + "\n"


def _entry(work: Work) -> str:
    fields = {
        "author": work.authors,
        "title": work.title,
        "journal": work.journal,
        "volume": work.volume,
        "pages": work.pages,
        "year": str(work.year),
    }
    lines = ",\n".join(f"  {key} = {{{value}}}" for key, value in fields.items())
    return f"@article{{{work.key},\n{lines}\n}}"
