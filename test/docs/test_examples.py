"""Runs every fenced command and every IR example of README.md and docs/, and every file of docs/examples.

How to write a block that this file can run: docs/Contributing.md, "Examples in the documentation".
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = sorted((ROOT / "docs" / "examples").glob("*.mlir"))
# Languages that are shown and not run. Any other word after the fence is a mistake.
SHOWN = {"text", "c", "c++", "cmake", "tablegen"}
TIMEOUT_S = 300

# A number with a point or an exponent is measured: matched by its form. Whole numbers are claims: matched exactly.
FLOAT = r"[-+]?(?:\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+)"
MEASURED = re.compile(rf"(?<![\w.]){FLOAT}(?![\w.])")
# A number that bounds another one: both sides as printed.
BOUND = re.compile(r"([-+]?[\d.]+(?:e[-+]?\d+)?) <= (?:\w+ )?([-+]?[\d.]+(?:e[-+]?\d+)?)")


@dataclass
class Block:
    page: Path
    line: int  # of the opening fence, from 1
    info: list  # words after the fence: language, then options
    text: str

    @property
    def language(self):
        return self.info[0] if self.info else ""

    @property
    def file_name(self):
        return self.option("file")

    def option(self, name):
        """The value of `name=value`, or None."""
        return next((word[len(name) + 1:] for word in self.info if word.startswith(name + "=")), None)

    def __str__(self):
        return f"{self.page.name}:{self.line}"


def read_blocks(page, text):
    """The fenced blocks of a page, in order."""
    blocks, opening, lines = [], None, []
    for number, line in enumerate(text.splitlines(), start=1):
        if opening is None and line.startswith("```"):
            opening, lines = Block(page, number, line[3:].split(), ""), []
        elif opening is not None and line.startswith("```"):
            opening.text = "\n".join(lines) + "\n"
            blocks.append(opening)
            opening = None
        elif opening is not None:
            lines.append(line)
    assert opening is None, f"{opening}: the fence is never closed"
    return blocks


def read_commands(block):
    """(command, expected output lines) of a `sh` block. `> ` continues a command."""
    commands = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif line.startswith("> ") and commands and not commands[-1][1]:
            commands[-1] = (commands[-1][0] + "\n" + line[2:], [])
        else:
            assert commands, f"{block}: output before the first command"
            commands[-1][1].append(line)
    assert commands, f"{block}: no line starts with '$ '"
    return commands


def line_matches(expected, actual):
    """`...` stands for any text, a measured number for any measured number, and `a <= b` must also be true."""
    parts = [re.escape(MEASURED.sub("\0", part)) for part in expected.split("...")]
    pattern = ".*".join(parts).replace(re.escape("\0"), FLOAT).replace("\0", FLOAT)
    if not re.fullmatch(pattern, actual):
        return False
    if " <= " not in expected:
        return True
    bounds = BOUND.findall(actual)
    return len(bounds) == actual.count(" <= ") > 0 and all(float(low) <= float(high) for low, high in bounds)


def lines_match(expected, actual):
    """A line `...` stands for any number of lines, also none."""
    if not expected:
        return not actual
    if expected[0] == "...":
        return any(lines_match(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    return bool(actual) and line_matches(expected[0], actual[0]) and lines_match(expected[1:], actual[1:])


def shell(command, cwd, env):
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=cwd, env=env, timeout=TIMEOUT_S,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def check_commands(block, scratch, env, siblings=()):
    """Runs a `sh` block. The page's `file=` blocks lie in the folder before it starts."""
    for sibling in siblings:
        if sibling.file_name:
            (scratch / sibling.file_name).write_text(sibling.text)
    for command, expected in read_commands(block):
        done = shell(command, scratch, env)
        where = f"{block}: $ {command}\n{done.stdout}"
        assert done.returncode == 0, f"{where}\nexit status {done.returncode}"
        assert lines_match(expected, done.stdout.splitlines()), f"{where}\nexpected:\n" + "\n".join(expected)


def check_long_commands(block, scratch, env):
    """A block that would run for long, or itself: `./dev help` must list each subcommand with its options."""
    usage = shell("./dev help", scratch, env).stdout
    for command, _ in read_commands(block):
        program, subcommand, *rest = command.split()
        assert program == "./dev", f"{block}: only ./dev commands may be marked long"
        listed = "\n".join(re.findall(rf"^ +{re.escape(subcommand)}(?: .*)?$", usage, re.M))
        assert listed, f"{block}: ./dev help does not list '{subcommand}'\n{usage}"
        for option in [word for word in rest if word.startswith("-")]:
            assert option in listed, f"{block}: ./dev help does not list '{subcommand} {option}'\n{usage}"


def check_ir(block, env):
    """Parses and verifies an `mlir` block; one marked `invalid` must be refused with its `// error:` text."""
    done = subprocess.run(["mha-opt", "-"], input=block.text, env=env, timeout=TIMEOUT_S,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if "invalid" not in block.info:
        assert done.returncode == 0, f"{block}\n{done.stderr}"
        return
    assert done.returncode == 1, f"{block}: expected exit status 1, found {done.returncode}\n{done.stderr}"
    messages = re.findall(r"^\s*// error: (.*)$", block.text, re.M)
    assert messages, f"{block}: an invalid block needs a line '// error: <message>'"
    for message in messages:
        assert message in done.stderr, f"{block}: '{message}' is not in\n{done.stderr}"


def check_excerpt(block):
    """Whole lines that follow each other in the file."""
    file = ROOT / block.option("from")
    assert file.exists(), f"{block}: {file} does not exist"
    assert "\n" + block.text in "\n" + file.read_text(), f"{block}: expected a part of {file}"


BLOCKS = [block for page in PAGES if page.exists() for block in read_blocks(page, page.read_text())]


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block(block, scratch, tool_env):
    if block.language == "sh" and "long" in block.info:
        check_long_commands(block, scratch, tool_env)
    elif block.language == "sh":
        check_commands(block, scratch, tool_env, [other for other in BLOCKS if other.page == block.page])
    elif block.language == "mlir":
        check_ir(block, tool_env)
    else:
        assert block.language in SHOWN, f"{block}: unknown language '{block.language}'"
        if block.option("from"):
            check_excerpt(block)


# Whose reference would take all memory: its rows are compared in test/numeric/test_kernels.py.
TOO_LONG = {"attention_long_32768.mlir": ['  "peak_bytes": ...']}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_example(example, scratch, tool_env):
    """The header is 3 to 6 comment lines; its `mha-run` line runs and prints an error within its bound, or what TOO_LONG says."""
    lines = example.read_text().splitlines()
    header = lines[:next(i for i, line in enumerate(lines) if not line.startswith("//"))]
    assert 3 <= len(header) <= 6, f"expected a header of 3 to 6 lines, found {len(header)}"
    commands = [line[2:].strip() for line in header if line[2:].strip().startswith("mha-run ")]
    assert len(commands) == 1, f"expected one 'mha-run' line in the header, found {len(commands)}"
    done = shell(commands[0], scratch, tool_env)
    assert done.returncode == 0, done.stdout
    wanted = TOO_LONG.get(example.name, ["...", "...<= ...", "..."])
    assert lines_match(wanted, done.stdout.splitlines()), done.stdout


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page):
    """Every relative link leads to a file, and to a heading where it names one."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), f"{page.name}: {target} does not exist"
        assert not anchor or anchor in anchors(linked), f"{page.name}: no heading for {target}"


# The checks above are worth something only if they can fail.

def sh(text, *options):
    return Block(Path("self.md"), 1, ["sh", *options], text)


def mlir(text, *options):
    return Block(Path("self.md"), 1, ["mlir", *options], text)


@pytest.mark.parametrize("text", [
    "$ echo one two\none two\n",
    "$ echo one two\none ...\n",
    "$ printf 'a\\nb\\nc\\n'\n...\nc\n",
    "$ echo 'error 1.5e-07 <= bound 2.0e-07'\nerror 9.9e-01 <= bound 1.1e+00\n",
    "$ true\n",
    "$ cat <<'END'\n> held\n> END\nheld\n",
])
def test_right_output_passes(text, scratch, tool_env):
    check_commands(sh(text), scratch, tool_env)


@pytest.mark.parametrize("text", [
    "$ echo one two\none three\n",
    "$ echo one two\n",  # output that the page does not show
    "$ printf 'a\\nb\\n'\na\n",
    "$ echo a\na\nb\n",
    "$ echo '1 passed'\n2 passed\n",  # whole numbers are claims
    "$ echo 'error 3.0e-07 <= bound 2.0e-07'\nerror 1.0e-07 <= bound 2.0e-07\n",
    "$ echo 'error nan <= bound 2.0e-07'\nerror 1.0e-07 <= bound 2.0e-07\n",
    "$ echo 'max 1.0e-07 <= 2.0e-07, mean nan <= 2.0e-07'\nmax 1.0e-07 <= 2.0e-07, mean ...\n",
    "$ echo 'error 1.0e-07'\nerror 1.0e-07 <= bound 2.0e-07\n",
    "$ echo a; exit 1\na\n",
    "one\n$ echo one\n",
    "echo one\n",
])
def test_wrong_output_fails(text, scratch, tool_env):
    with pytest.raises(AssertionError):
        check_commands(sh(text), scratch, tool_env)


@pytest.mark.parametrize("block", [
    mlir("func.func @f() {\n"),
    mlir("func.func @f() { return }\n// error: anything\n", "invalid"),
    mlir("func.func @f() {\n", "invalid"),  # refused, but the page does not say with what
    mlir("// error: another text\nfunc.func @f() {\n", "invalid"),
])
def test_wrong_ir_fails(block, tool_env):
    with pytest.raises(AssertionError):
        check_ir(block, tool_env)


def test_unknown_long_command_fails(scratch, tool_env):
    with pytest.raises(AssertionError):
        check_long_commands(sh("$ ./dev no-such-thing\n", "long"), scratch, tool_env)


@pytest.mark.parametrize("text, file", [
    ("This is not in it.\n", "LICENSE"),
    ("Version 2.0\n", "LICENSE"),  # a part of a line
    ("def sh(text, *options):\n", "no-such-file"),
])
def test_wrong_excerpt_fails(text, file):
    with pytest.raises(AssertionError):
        check_excerpt(Block(Path("self.md"), 1, ["text", f"from={file}"], text))


def test_unclosed_fence_fails():
    with pytest.raises(AssertionError):
        read_blocks(Path("self.md"), "```sh\n$ true\n")
