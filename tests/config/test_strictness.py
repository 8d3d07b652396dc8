"""Wrong experiments are refused with the place, what is wrong, and the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.config.loader import load
from arena.config.strict_yaml import ConfigError


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (
            "protect_tens",
            "protect_tnes",
            "x.yaml:6: agents.semi.protect_tnes: unknown key; did you mean 'protect_tens'? "
            "(allowed: better, protect_tens)",
        ),
        (
            "seed: 1",
            'seed: "7"',
            "x.yaml:9: seed: expected a whole number, found '7' (text); "
            "without quotes it is a number: 7",
        ),
        ("seed: 1", "seed: true", "x.yaml:9: seed: expected a whole number, found true"),
        ("seed: 1", "seed: 1.0", "x.yaml:9: seed: expected a whole number, found 1.0"),
        (
            "seed: 1",
            "seed: 1e3",
            "x.yaml:9: seed: expected a whole number, found '1e3' (text); "
            "YAML reads 1e3 as text: write 1000",
        ),
        ("seed: 1", "seed: -1", "x.yaml:9: seed: must be at least 0, found -1"),
        ("seed: 1", "seed:", "x.yaml:9: seed: expected a whole number, found null"),
        (
            "seed: 1",
            "seed: 010",
            "x.yaml:9: YAML reads 010 as another number: write a plain decimal number",
        ),
        (
            "seed: 1",
            "seed: 1:30",
            "x.yaml:9: YAML reads 1:30 as another number: write a plain decimal number",
        ),
        (
            "protect_tens: true",
            "protect_tens: yes",
            "x.yaml:6: YAML reads yes as true: write true, or quote it if it is text",
        ),
        (
            "protect_tens: true",
            "protect_tens: 1",
            "x.yaml:6: agents.semi.protect_tens: expected true or false, found 1",
        ),
        (
            "name: families",
            "name: off",
            "x.yaml:1: YAML reads off as false: write false, or quote it if it is text",
        ),
        (
            "name: families",
            "name: 2022-01-01",
            "x.yaml:1: YAML reads 2022-01-01 as a date: quote it if it is text",
        ),
        (
            "name: families",
            "name: two words",
            "x.yaml:1: name: 'two words' (text) is not a name: "
            "letters from a to z, digits, - _ and +, a letter or digit first",
        ),
        (
            "name: families",
            "name: ../up",
            "x.yaml:1: name: '../up' (text) is not a name: "
            "letters from a to z, digits, - _ and +, a letter or digit first",
        ),
        (
            "seed: 1",
            "sed: 1",
            "x.yaml:9: sed: unknown key; did you mean 'seed'? (allowed: agents, deals, "
            "decision_limit_s, description, game, include, indifferent, isolate, match, "
            "most_agents, name, on_fault, placements, reference, schedule, seed, "
            "seeds_per_deal, stop)",
        ),
        ("seed: 1", "seed: 1\nseed: 2", "x.yaml:10: seed: already given on line 9"),
        ("  rule:", "  random:", "x.yaml:7: agents.random: already given on line 5"),
        (
            "rotterdam",
            "rotterdm",
            'x.yaml:2: game.variant: unknown value "rotterdm"; did you '
            "mean 'rotterdam'? (allowed: amsterdam, amsterdam-2022, amsterdam-official, rotterdam, "
            "rotterdam-2017)",
        ),
        (
            "variant",
            "varaint",
            "x.yaml:2: game.varaint: unknown key; did you mean 'variant'? "
            "(allowed: bidding, four_jacks, tie_is_nat, variant)",
        ),
        (
            "bidding: given",
            "four_jacks: 150",
            "x.yaml:2: game.four_jacks: unknown value 150; allowed: 100, 200",
        ),
        (
            "name: klaverjas",
            "name: klaverjass",
            "x.yaml:2: game.name: unknown game "
            "'klaverjass'; did you mean 'klaverjas'? "
            "(allowed: hearts, klaverjas, open-spiel, schieber)",
        ),
        (
            "family: rule",
            "family: ruel",
            "x.yaml:7: agents.rule.family: unknown agent family 'ruel'; did you mean 'rule'? (",
        ),
        ("family: rule", "mode: as-written", "x.yaml:7: agents.rule.family: missing; "),
        ("family: rule", "family: [rule]", "x.yaml:7: agents.rule.family: expected the name"),
        (
            "{family: rule}",
            "rule",
            "x.yaml:7: agents.rule: expected a mapping, found 'rule' (text)",
        ),
        ("  rule:", "  the rule:", "x.yaml:7: agents.the rule: 'the rule' (text) is not a name"),
        (
            "limit: 4",
            "limit: 1001",
            "x.yaml:3: deals.limit: klaverjas-given-1000 has 1000 deals; 1001 were asked for",
        ),
        ("limit: 4", "offset: 1000", "x.yaml:3: deals.offset: klaverjas-given-1000 has 1000"),
        ("limit: 4", "limit: 0", "x.yaml:3: deals.limit: must be at least 1, found 0"),
        (
            "set: klaverjas-given-1000, limit: 4",
            "limit: 4",
            "x.yaml:3: deals: give either set (by name) or file (by path)",
        ),
        ("limit: 4", "file: a.csv", "x.yaml:3: deals: give either set (by name) or file"),
        ("limit: 4", "sha256: abc", "x.yaml:3: deals.sha256: klaverjas-given-1000 has "),
        (
            "klaverjas-given-1000",
            "klaverjas-given-100",
            "x.yaml:3: deals.set: no set of deals named "
            "'klaverjas-given-100' is shipped; did you mean 'klaverjas-given-1000'?",
        ),
        (
            "set: klaverjas-given-1000",
            "file: here.csv",
            "x.yaml:3: deals.file: here.csv: No such file or directory",
        ),
        (
            "type: round-robin",
            "type: round-robbin",
            "x.yaml:8: schedule.type: unknown value "
            "\"round-robbin\"; did you mean 'round-robin'? (allowed: cross-play, "
            "gauntlet, pairs, race, round-robin)",
        ),
        ("type: round-robin", "type: gauntlet", "x.yaml:8: schedule.against: missing; gauntlet"),
        (
            "type: round-robin",
            "type: gauntlet, against: [rul]",
            "x.yaml:8: schedule.against: "
            "unknown agent 'rul'; did you mean 'rule'? (allowed: random, rule, semi)",
        ),
        (
            "type: round-robin",
            "against: [rule]",
            "x.yaml:8: schedule.against: belongs to gauntlet, not round-robin",
        ),
        ("type: round-robin", "only: [rule]", "x.yaml:8: schedule: there are no pairings"),
        (
            "type: round-robin",
            "type: pairs, pairs: [[rule]]",
            "x.yaml:8: schedule.pairs[0]: an entry is missing",
        ),
        (
            "type: round-robin",
            "type: pairs, pairs: [[rule, semi, random]]",
            "x.yaml:8: schedule.pairs[0]: has 3 entries, at most 2 can be",
        ),
        (
            "type: round-robin",
            "type: pairs, pairs: [[rule, rule]]",
            "x.yaml:8: schedule.pairs[0]: 'rule' cannot play itself",
        ),
        (
            "type: round-robin",
            "type: pairs, pairs: [[rule, semi], [semi, rule]]",
            "x.yaml:8: schedule.pairs[1]: 'semi' and 'rule' are paired already",
        ),
        ("seed: 1", "match: 5", "x.yaml:9: match: expected true or a mapping, found 5"),
        (
            "seed: 1",
            "match: {round: 5}",
            "x.yaml:9: match.round: unknown key; did you mean 'rounds'? (allowed: rounds, target)",
        ),
        ("seed: 1", "match: {}", "x.yaml:9: match: give rounds, target or both"),
        ("seed: 1", "placements: some", 'x.yaml:9: placements: unknown value "some"'),
        ("seed: 1", "decision_limit_s: 0", "x.yaml:9: decision_limit_s: must be more than 0"),
        (
            "seed: 1",
            "decision_limit_s: .inf",
            "x.yaml:9: decision_limit_s: expected a finite number, found Infinity",
        ),
        (
            "seed: 1",
            "reference: [{label: x, value: 1}]",
            "x.yaml:9: reference[0]: give either agent or pair",
        ),
        (
            "seed: 1",
            "reference: [{label: x, value: 1, agent: rul}]",
            "x.yaml:9: reference[0]: unknown agent 'rul'; did you mean 'rule'?",
        ),
        (
            "seed: 1",
            "reference: [{label: x, agent: rule}]",
            "x.yaml:9: reference[0].value: missing",
        ),
        (
            "seed: 1",
            "seed: !!python/object/apply:os.getcwd []",
            "x.yaml:9: seed: the tag "
            "!!python/object/apply:os.getcwd is not allowed: plain values only, no objects",
        ),
        ("seed: 1", "seed: !mine 1", "x.yaml:9: the tag !mine is not allowed"),
        ("seed: 1", "7: 1", "x.yaml:9: 7: keys must be text"),
        ("seed: 1", "on: 1", "x.yaml:9: on: keys must be text, as which YAML does not read"),
        ("seed: 1", "[a, b]: 1", "x.yaml:9: keys must be text"),
        ("seed: 1", "<<: {seed: 1}", "x.yaml:9: '<<' is not supported"),
        ("seed: 1", "seed: [1", "x.yaml:10: not YAML: "),
        ("seed: 1", "\tseed: 1", "x.yaml:9: not YAML: found character '\\t'"),
        ("seed: 1", "seed: 1\n---\nseed: 2", "x.yaml:10: not YAML: but found another document"),
        ("seed: 1", "description: &a [*a]", "x.yaml:9: description[0]: an alias to what it is"),
    ],
)
def test_one_mistake(whole, complaints, old, new, complaint):
    assert old in whole
    lines = complaints(whole.replace(old, new, 1))
    assert len(lines) == 1
    assert lines[0].startswith(complaint)


def test_all_mistakes_are_reported_at_once(whole, complaints):
    text = whole.replace("family: rule", "family: ruel").replace("better", "x")
    text = text.replace("protect_tens: true", "protect_tens: 1").replace("limit: 4", "limit: 9999")
    assert [line.split(": ")[1] for line in complaints(text)] == [
        "agents.semi.protect_tens",
        "agents.rule.family",
        "deals.limit",
    ]


def test_what_must_be_there(complaints):
    assert complaints("name: x\n") == [
        "x.yaml: game: missing",
        "x.yaml: deals: missing",
        "x.yaml: agents: missing",
    ]
    for nothing in ("", "- a\n", "text\n"):
        assert complaints(nothing) == ["x.yaml:1: expected a mapping with name, game, agents, ..."]


def test_a_deal_of_the_wrong_kind_is_named_by_its_own_line(whole, complaints):
    (line,) = complaints(whole.replace("bidding: given", "bidding: classical"))
    assert line.startswith("x.yaml:3: deals.set: ")
    assert "klaverjas-given-1000.csv:2: deal klaverjas-given-0000: bidding 'classical'" in line


def test_a_file_given_as_a_shipped_set_is_reported_how_to_write_it(whole, complaints, tmp_path):
    (tmp_path / "mine.csv").write_text("")
    (line,) = complaints(whole.replace("set: klaverjas-given-1000", "set: mine.csv"))
    assert line == "x.yaml:3: deals.set: mine.csv is a file: write deals: {file: mine.csv}"


def test_deals_for_another_game(whole, complaints):
    text = whole.replace("{name: klaverjas, variant: rotterdam, bidding: given}", "hearts")
    points = "family: pimc, endings: {objective: points}"
    lines = complaints(text.replace("family: rule", points))
    why = "the solver does not know its score (open_score)"
    assert f"x.yaml:7: agents.rule: 'pimc' does not play hearts: {why}" in lines
    assert "x.yaml:3: deals.set: klaverjas-given-1000 is for klaverjas, not hearts" in lines


def test_a_few_lines_cannot_stand_for_billions(complaints):
    lines = ["a: &a [x, x, x, x, x, x, x, x, x, x]"]
    lines += [
        f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]"
        for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    (line,) = complaints("\n".join(lines))
    assert line.endswith(": more than 100000 values")


def test_files_that_are_not_there_or_not_text(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.yaml: No such file or directory"):
        load(tmp_path / "nothing.yaml")
    (tmp_path / "bytes.yaml").write_bytes(b"name: \xff\n")
    with pytest.raises(ConfigError, match=r"bytes\.yaml: not UTF-8 text"):
        load(tmp_path / "bytes.yaml")
    (tmp_path / "zero.yaml").write_bytes(b"name: \x00\n")
    with pytest.raises(ConfigError, match=r"zero\.yaml: not YAML: .*special characters"):
        load(tmp_path / "zero.yaml")
    with pytest.raises(ConfigError, match="Is a directory"):
        load(tmp_path)


def test_a_mistake_at_the_top_hides_none_inside(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(
        "nme: x\ngame: {name: klaverjas, varint: rotterdam}\n"
        "deals: {set: klaverjas-given-1000, limt: 3}\n"
        "agents:\n  mc: {family: flat-mc, playuots: 5}\n  other: {family: rul}\n"
    )
    with pytest.raises(ConfigError) as caught:
        load(file)
    lines = str(caught.value)
    for message in ("nme: unknown key", "deals.limt: unknown key", "name: missing", "game.varint"):
        assert message in lines
    file.write_text(file.read_text().replace(", varint: rotterdam", ""))
    with pytest.raises(ConfigError) as caught:
        load(file)
    lines = str(caught.value)
    for message in ("agents.mc.playuots: unknown key", "agents.other.family: unknown agent family"):
        assert message in lines
    assert "game, include, indifferent" in lines, "the keys that a file may have"
