"""Hides the text of a program behind macros and continued lines, which a preprocessor removes."""

from __future__ import annotations

from random import Random
from typing import Any

from gascl.language.tokens import tokens

STATEMENTS = ("init", "scatter", "pairs", "gather", "apply")
JOIN = "#define JOIN(a, b) a##b\n"


class Disguise:
    """Moves pieces of texts into macros: each of the `buffers`, the text and bodies, in turn."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.names = 0

    def of(self, body: dict[str, Any]) -> dict[str, Any]:
        """The namespace of a class, its snippets disguised."""
        found = dict(body)
        shared = ""
        for key in (*STATEMENTS, "mask", "stop", "receive_if", "enough", "priority"):
            if body.get(key):
                text, macros = self.text(body[key])
                own = key in STATEMENTS and self.random.random() < 0.5
                found[key] = macros + text if own else text
                shared += "" if own else macros
        helpers = body.get("functions", "")
        found["functions"] = JOIN + shared + helpers
        return found

    def text(self, text: str) -> tuple[str, str]:
        """A text of the same meaning, and the macros that it needs."""
        words = [t.text for t in tokens(text)]
        self.buffers: dict[str, tuple[str, list[str]]] = {"": ("", words)}
        for _ in range(self.random.randint(2, 12)):
            self.random.choice((self.hide, self.call))(self.random.choice(list(self.buffers)))
        for name in self.buffers:
            self.join(name)  # last: `##` takes what it is given as it stands
        order = [n for n in self.buffers if n]
        self.random.shuffle(order)
        macros = [
            self.spelled(["#define", n + self.buffers[n][0]], self.buffers[n][1]) for n in order
        ]
        return self.spelled([], words), "".join(f"{m}\n" for m in macros)

    def piece(self, buffer: list[str], params: str, values: bool = False) -> slice | None:
        """Some tokens in a row whose brackets are whole, without parameters; as the value of a
        macro, also without a comma."""
        i = self.random.randrange(len(buffer))
        if i and buffer[i] == "(" and (buffer[i - 1] == ")" or buffer[i - 1][-1].isalnum()):
            return None  # a macro must see its parenthesis
        ends, depth, commas = [], [], 0
        for k in range(i, min(i + 12, len(buffer))):
            word = buffer[k]
            if word in params.strip("()").split(","):
                break
            if word in ("(", "[", "{"):
                depth.append(word)
            elif word in (")", "]", "}"):
                if not depth:
                    break
                depth.pop()
            elif word == "," and "(" not in depth:
                commas += 1
            if not depth and not (values and commas):
                ends.append(k + 1)
        return slice(i, self.random.choice(ends)) if ends else None

    def fresh(self) -> str:
        self.names += 1
        return f"M{self.names}"

    def hide(self, of: str) -> None:
        """Behind a macro without parameters."""
        params, buffer = self.buffers[of]
        where = self.piece(buffer, params)
        if where:
            name = self.fresh()
            self.buffers[name] = ("", buffer[where])
            buffer[where] = [name]

    def call(self, of: str) -> None:
        """Behind one that takes a part of it as a value."""
        params, buffer = self.buffers[of]
        where = self.piece(buffer, params)
        if not where:
            return
        inside = buffer[where]
        part = self.piece(inside, "", values=True)
        if not part:
            return
        name = self.fresh()
        param = f"z{self.names}"
        given = inside[part]
        inside[part] = [param]
        self.buffers[name] = (f"({param})", inside)
        buffer[where] = [name, "(", *given, ")"]

    def join(self, of: str) -> None:
        """A word in two halves."""
        params, buffer = self.buffers[of]
        i = self.random.randrange(len(buffer))
        word = buffer[i]
        plain = word[0].isalpha() and word != "JOIN" and word not in self.buffers
        if plain and len(word) > 1 and word not in params:
            at = self.random.randrange(1, len(word))
            buffer[i : i + 1] = ["JOIN", "(", word[:at], ",", word[at:], ")"]

    def spelled(self, head: list[str], words: list[str]) -> str:
        """Tokens as text: in a macro, one line however it is broken."""
        parts = [" ".join(head) + " "] if head else []
        for word in words:
            if len(word) > 1 and self.random.random() < 0.03:
                at = self.random.randrange(1, len(word))
                word = f"{word[:at]}\\\n{word[at:]}"
            parts.append(word)
            blanks = [" "] * 10 + [" \\\n", " /* v.x = \n */ "]
            blanks += [] if head else ["\n", " // send(1) \\\n v.id = 1\n"]
            parts.append(self.random.choice(blanks))
        return "".join(parts)
