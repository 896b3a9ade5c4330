"""Tables in a terminal and in a pipe."""

from gough.present import write


def test_on_a_terminal_what_fits_is_on_lines_and_what_does_not_is_folded(capsys, monkeypatch):
    monkeypatch.setattr(write.sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for width, lines in ((80, 3), (28, 4)):
        monkeypatch.setenv("COLUMNS", str(width))
        write.print_table(("limit", "margin"), [("clearance of legs 1 and 2", "1.5")])
        printed = capsys.readouterr().out.splitlines()
        assert len(printed) == lines
        assert "\x1b[1m" in printed[0]
        assert max(len(line.replace("\x1b[1m", "").replace("\x1b[0m", "")) for line in printed) <= width
