"""Test that stored text cannot control the terminal and is not read as markup."""

import io
import json
import logging
import sys

import pytest

from graph_service.cli.commands.transfer import print_export
from graph_service.cli.terminal import Terminal
from graph_service.observability.columns import CYAN, DIM, Columns, listing
from graph_service.observability.structured_log import PlainFormatter
from graph_service.observability.terminal_text import shown, shown_json

# Clear the screen; write the clipboard; a title; one-character CSI and OSC; a link; a bell; text direction marks.
ATTACKS = (
    "\x1b[2J\x1b[1;1H",
    "\x1b]52;c;cm0gLXJmIC8=\x07",
    "\x1b]0;root#\x07",
    "\x9b31m",
    "\x9d52;c;AAAA\x9c",
    "\x1b]8;;http://evil.example\x1b\\",
    "a\rb",
    "a\x08b",
    "\u202egnp.exe",
    "\u2066x\u2069",
    "\u2028",
    "\x7f",
)
ACTIVE = {
    chr(code) for code in (*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028)
} - {
    "\n",
    "\t",
}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("as_json", [False, True])
def test_stored_text_cannot_control_the_terminal(
    attack: str, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal(as_json=as_json)
    terminal.answer(
        {"text": attack}, lambda: listing([{"said": f"tea {attack}"}], {f"said {attack}": "said"}, title=attack)
    )
    terminal.say(f"beside {attack}")
    printed = capsys.readouterr()
    assert not ACTIVE & set(printed.out + printed.err)
    assert "beside" in printed.err
    if as_json:
        assert json.loads(printed.out) == {"text": attack}
    else:
        assert "tea" in printed.out


@pytest.mark.parametrize("text", ["[/]", "[bold]x[/bold]", "[link=http://evil.example]x[/link]", "[red]"])
def test_output_is_not_parsed_as_markup(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Terminal(as_json=False).answer(None, lambda: f"said {text}")
    Terminal(as_json=False).answer(None, lambda: [listing([{"said": text}], {"said": "said"}), Columns(rows=[])])
    assert capsys.readouterr().out == f"said {text}\n said\n {text}\n\n\n"


def test_ordinary_texts_of_every_script_are_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    text = "café 茶馆 שלום مرحبا 👩‍👩‍👧 किताब\tx\ny"
    assert shown(text) == text
    assert shown_json(json.dumps(text, ensure_ascii=False)) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("as_json", [False, True])
def test_log_line_cannot_control_the_terminal(attack: str, as_json: bool) -> None:
    record = logging.LogRecord("mnemoscene", logging.WARNING, __file__, 1, "said %s", (attack,), None)
    line = PlainFormatter(as_json=as_json, secrets=()).format(record)
    assert not (ACTIVE | {"\n"}) & set(line)


class _Screen(io.TextIOWrapper):
    """Standard output that says whether it is a terminal."""

    is_terminal = True

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.mark.parametrize("is_terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("is_json", [True, False], ids=["jsonl", "markdown"])
def test_an_export_controls_no_terminal_and_stays_as_it_is_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, is_json: bool, is_terminal: bool
) -> None:
    text = "\n".join(json.dumps({"text": one}, ensure_ascii=False) if is_json else one for one in ATTACKS)
    screen = _Screen(io.BytesIO(), encoding="utf-8", newline="")
    screen.is_terminal = is_terminal
    monkeypatch.setattr(sys, "stdout", screen)
    print_export(io.BytesIO(text.encode()), is_json=is_json)
    monkeypatch.undo()
    written = screen.buffer.getvalue().decode()  # type: ignore[attr-defined]
    assert (written == text) is not is_terminal
    assert bool(ACTIVE & set(written)) is not is_terminal
    if is_json:
        assert [json.loads(line)["text"] for line in written.split("\n")] == list(ATTACKS)


def test_columns_align_wide_characters_fold_the_last_column_and_clean_every_cell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = "the number sk-abcdefghijklmnop1234 is that of an old account which nobody uses " * 3
    rows = [("", ["0.48", "茶馆", "[bold]tea[/]"]), (DIM, ["", "ab", words])]
    view = Columns(title="who?", header=("score", "said", "found"), rows=rows, right={0}, notes=[(DIM, "\x1b[2J")])
    Terminal(as_json=False).answer({}, lambda: view)
    title, header, first, *folded, note = capsys.readouterr().out.splitlines()
    assert (title, header) == ("who?", " score  said  found")
    assert first == "  0.48  茶馆  [bold]tea[/]"
    assert [line[:14].strip() for line in folded] == ["ab", *[""] * (len(folded) - 1)]
    assert len(folded) > 1
    assert max(map(len, folded)) <= 120
    told = " ".join(line[14:] for line in folded)
    assert (told.count("number"), told.count("[hidden key]")) == (3, 3)
    assert note == "\N{REPLACEMENT CHARACTER}[2J"


def test_columns_are_coloured_on_terminals_only_and_break_long_words() -> None:
    view = Columns(title="t", header=("a", "b"), rows=[(DIM, ["1", "x" * 50])], styles=(CYAN,))
    assert view.text(width=40, is_colored=True).splitlines()[2:] == [
        f" \x1b[2m1\x1b[0m  \x1b[2m{'x' * 35}\x1b[0m",
        f"    \x1b[2m{'x' * 15}\x1b[0m",
    ]
    assert "\x1b" not in view.text(width=40)


def test_the_widest_columns_of_a_listing_are_folded_until_all_fit() -> None:
    rows = [{"id": "x" * 9, "names": ["Ana " * 12, "Bo"], "n": 3, "none": None}]
    fields = {"id": "id", "names": "names", "twice": lambda row: 2 * row["n"], "none": "none"}
    assert listing(rows, fields).text(width=50).splitlines() == [
        f" id{' ' * 9}names{' ' * 21}twice  none",
        f" {'x' * 9}  Ana Ana Ana Ana Ana Ana   6",
        f" {' ' * 9}  Ana Ana Ana Ana Ana Ana",
        f" {' ' * 9}  , Bo",
    ]
