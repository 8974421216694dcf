"""Draws the lessons' figures as SVG: a page 400 units wide, so that text of 12 stays readable on a phone, with colours that
follow the reader's scheme, light or dark, and a title and a description for screen readers. Standard library only.
"""
import textwrap

LIGHT = {
    "paper": "#ffffff", "ink": "#1f2933", "faint": "#6b7785", "grey": "#e4e7eb",
    "blue": "#a8d0f0", "orange": "#fdc98a", "green": "#abdcae", "red": "#f6a9a2",
    "strong": "#b3380f", "cool": "#1c5d99",
}
DARK = {
    "paper": "#14181d", "ink": "#e8ecf0", "faint": "#93a0ad", "grey": "#323b45",
    "blue": "#1f5582", "orange": "#7d4c0f", "green": "#22602b", "red": "#83302a",
    "strong": "#ff9b73", "cool": "#86c3f5",
}
WIDTH = 400
SMALLEST = 12  # on a phone of 400 pixels a page leaves 368 for the figure: 11 pixels


def escaped(words):
    return str(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Picture:
    """One figure. x and y grow to the right and down, in units of which the page is 400 wide."""

    light, dark = LIGHT, DARK

    def __init__(self, name, height, title, description):
        self.name, self.height, self.title, self.description = name, height, title, description
        self.parts = []

    def box(self, x, y, w, h, fill="paper", stroke="faint", width=1, round=2):
        paint = "none" if fill == "none" else f"var(--{fill})"
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round}" fill="{paint}" '
            f'stroke="var(--{stroke})" stroke-width="{width:g}"/>'
        )

    def text(self, x, y, words, size=12, anchor="start", fill="ink", bold=False, mono=False):
        assert size >= SMALLEST, f"{self.name}: text of {size} is too small on a phone: {words}"
        family = "ui-monospace, monospace" if mono else "system-ui, sans-serif"
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-family="{family}" font-size="{size:g}" text-anchor="{anchor}" '
            f'fill="var(--{fill})"{weight}>{escaped(words)}</text>'
        )

    def line(self, x1, y1, x2, y2, stroke="faint", width=1, dash="", arrow=False):
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        extra += f' marker-end="url(#{stroke}-arrow)"' if arrow else ""
        self.parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="var(--{stroke})" stroke-width="{width:g}"{extra}/>'
        )

    def path(self, points, stroke="ink", width=2, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        way = " ".join(f"{'M' if k == 0 else 'L'}{x:.1f},{y:.1f}" for k, (x, y) in enumerate(points))
        self.parts.append(f'<path d="{way}" fill="none" stroke="var(--{stroke})" stroke-width="{width:g}"{dashes}/>')

    def dot(self, x, y, fill="ink", radius=3):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="var(--{fill})"/>')

    def save(self):
        def scheme(colours):
            return " ".join(f"--{name}: {value};" for name, value in colours.items())

        arrows = "".join(
            f'<marker id="{colour}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
            f'orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="var(--{colour})"/></marker>'
            for colour in ("ink", "faint", "strong", "cool")
        )
        with open(f"{self.name}.svg", "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="640" height="{self.height * 1.6:g}" '
                f'viewBox="0 0 {WIDTH} {self.height}" role="img" aria-labelledby="title description">\n'
                f'<title id="title">{escaped(self.title)}</title>\n<desc id="description">{escaped(self.description)}</desc>\n'
                f"<style>svg {{ {scheme(self.light)} }}\n"
                f"@media (prefers-color-scheme: dark) {{ svg {{ {scheme(self.dark)} }} }}</style>\n"
                f"<defs>{arrows}</defs>\n"
                f'<rect width="{WIDTH}" height="{self.height}" fill="var(--paper)"/>\n'
                + "\n".join(self.parts)
                + "\n</svg>\n"
            )


class Column(Picture):
    """A figure that grows downwards, under headings: `y` is where the next thing goes. Its height is found when it is saved."""

    light = LIGHT | {"edge": "#9aa5b1", "good": "#1f6b33", "bad": "#b3261e", "hot": "#9a4d00"}
    dark = DARK | {"edge": "#66727f", "good": "#79d394", "bad": "#ff8a7f", "hot": "#ffb861"}

    def __init__(self, name, title, description):
        super().__init__(name, 0, title, description)
        self.y = 8

    def box(self, x, y, w, h, fill="paper", stroke="edge", width=1, round=0):
        super().box(x, y, w, h, fill, stroke, width, round)

    def text(self, x, y, words, anchor="start", fill="ink", kind=""):
        super().text(x, y, words, 13 if kind == "title" else 12, anchor, fill, kind == "title", kind == "code")

    def line(self, x1, y1, x2, y2, stroke="ink", width=1, dash="", arrow=False):
        super().line(x1, y1, x2, y2, stroke, width, dash, arrow)

    def heading(self, words, number=None):
        """With a number, the picture is one of several steps."""
        assert len(words) <= (44 if number is None else 41), f"too long at 400 pixels: {words}"
        self.y += 16
        x = 8
        if number is not None:
            self.dot(16, self.y - 4, radius=9)
            self.text(16, self.y, number, "middle", "paper", "title")
            x = 32
        self.text(x, self.y, words, kind="title")
        self.y += 12

    def note(self, words, fill="ink"):
        for line in textwrap.wrap(words, 52):
            self.y += 15
            self.text(8, self.y, line, fill=fill)
        self.y += 4

    def save(self):
        self.height = self.y + 10
        super().save()
