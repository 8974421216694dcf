#!/usr/bin/python3
"""Looks at every page of the site in a real browser: the distribution's Chromium, by its driver and python3-selenium.

    browser.py SITE FAULTS COURSE

Each page at 1280 and 400 pixels, light and dark: nothing overflows, text stands out, links lead somewhere, no text became a list by accident, and
what checks.js names besides. Then quiz, predictions and figures are used, by mouse and by keyboard. Each file in FAULTS has one fault, named in its
first line, and must be caught with it. Exit code 0 well, 1 faults, 77 no browser here (2 with COURSE_BROWSER=required, which .ci/run sets).
"""

import functools
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")
HERE = pathlib.Path(__file__).resolve().parent
CHECKS = (HERE / "checks.js").read_text()


def without_browser(what):
    required = os.environ.get("COURSE_BROWSER") == "required"
    print(("FAILED: " if required else "skipped: ") + what + " (apt-get install chromium chromium-driver python3-selenium)")
    sys.exit(2 if required else 77)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    without_browser("there is no python3-selenium here")


class Quiet(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection serves many files

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()

    def log_message(self, *_):
        pass


def serve(folder):
    """A local server: pages of a file system may not remember."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


class Browser:
    def __init__(self):
        chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        driver = shutil.which("chromedriver") or shutil.which("chromium.chromedriver")
        if not chromium or not driver:
            without_browser("there is no Chromium with its driver here")
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for word in ("--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run"):
            options.add_argument(word)
        options.page_load_strategy = "eager"
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        self.driver = webdriver.Chrome(service=Service(driver), options=options)

    def look(self, width, scheme):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme},
                                                                                             {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def scripts(self, on):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not on})

    def go(self, address):
        self.driver.get(address)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def click(self, element):
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)


def pictures_of(page):
    """SVGs that a page shows, by their address on it."""
    shown = {}
    for source in set(re.findall(r'<img src="([^"]+\.svg)"', page.read_text())):
        file = page.parent / source
        if file.exists():
            shown[source] = file.read_text()
    return shown


@functools.lru_cache(maxsize=None)
def names_on(page):
    return set(re.findall(r'\b(?:id|name)="([^"]+)"', page.read_text(errors="replace")))


def links_of(page):
    """Links and pictures of a page that lead into the site: (as written, file, anchor)."""
    for target in re.findall(r'<(?:a|img|link|script)\b[^>]*?\b(?:href|src)="([^"]*)"', page.read_text(errors="replace")):
        target = target.replace("&amp;", "&")
        if re.match(r"(\w+:|//)", target):
            continue
        path, _, anchor = target.partition("#")
        yield target, ((page.parent / path).resolve() if path else page), anchor


def reached_from(front):
    """All pages that links lead to, the front page first. Doxygen's lists of all members are left out: 40 tables of names."""
    reached, waiting = {front: None}, [front]
    while waiting:
        for _, file, _ in links_of(waiting.pop()):
            if file.suffix == ".html" and file.is_file() and file not in reached and not file.name.endswith("-members.html"):
                reached[file] = None
                waiting.append(file)
    return list(reached)


def dead_links(page):
    """Links and anchors that lead nowhere, looked up in the files."""
    faults = []
    for target, file, anchor in links_of(page):
        if not file.is_file():
            faults.append(("dead_link", target))
        elif anchor and anchor not in names_on(file) and not (anchor.startswith("L") and anchor[1:].isdigit()):
            faults.append(("dead_link", target))
    return faults


def check_page(browser, page, address):
    """All checks on one page: a set of (kind, what, where)."""
    faults = {(kind, what, "") for kind, what in dead_links(page)}
    browser.go(address)
    pictures = pictures_of(page)
    deadline = time.monotonic() + 5
    while pictures and not browser.run("return [...document.images].every((one) => one.complete)") and time.monotonic() < deadline:
        time.sleep(0.02)
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.look(width, scheme)
            for found in browser.run(CHECKS, pictures):
                faults.add((found["kind"], found["what"], f"{width} px, {scheme}"))
    return faults


failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


# --- The parts that answer -------------------------------------------------------------------------------------------


def try_quiz(browser, address):
    browser.look(1280, "light")
    browser.go(address)
    browser.run("localStorage.clear()")
    browser.go(address)
    questions = browser.all(".quiz > ol > li")
    expect(len(questions) >= 9, "a quiz with its questions")
    orders = set()
    for _ in range(4):
        orders.add(tuple(browser.run("return [...document.querySelectorAll('.quiz .choice')].map((c) => c.dataset.choice)")))
        browser.go(address)
    expect(len(orders) > 1, "the choices are shuffled")

    def answer(index, right):
        question = browser.all(".quiz > ol > li")[index]
        wanted = question.get_attribute("data-answer")
        for label in question.find_elements(By.CSS_SELECTOR, ".choice"):
            if (label.get_attribute("data-choice") == wanted) == right:
                browser.click(label)
                break
        browser.click(question.find_element(By.CSS_SELECTOR, "button"))
        return question

    first = answer(0, True)
    expect("Right" in first.text, "the right choice is told to be right")
    expect(first.find_element(By.CSS_SELECTOR, ".why").is_displayed(), "the explanation is shown after the answer")
    second = answer(1, False)
    expect("Not quite" in second.text, "a wrong choice is told to be wrong")
    expect(browser.one(".quiz .score").text.startswith(f"1 of {len(questions)} right"), "the score counts")
    expect(not browser.all(".quiz > ol > li")[2].find_element(By.CSS_SELECTOR, ".why").is_displayed(), "no explanation before the answer")
    browser.go(address)
    expect(browser.one(".quiz .score").text.startswith(f"1 of {len(questions)} right"), "the quiz is remembered")
    browser.click(browser.one(".quiz .score button"))
    expect(browser.one(".quiz .score").text.startswith(f"{len(questions)} questions"), "Start over forgets the answers")

    browser.scripts(False)
    browser.go(address)
    shown = [fold.get_attribute("open") for fold in browser.all(".quiz details")]
    expect(len(shown) == len(questions) and not any(shown), "without scripts each answer is folded text")
    expect(not any(field.is_displayed() for field in browser.all("main input")), "without scripts there are no dead boxes")
    browser.scripts(True)


def try_predictions(browser, address):
    browser.go(address)
    field = browser.one(".predict input")
    field.clear()
    field.send_keys("1.06" + Keys.TAB)
    browser.go(address)
    expect(browser.one(".predict input").get_attribute("value") == "1.06", "a prediction is remembered")
    folds = [fold for fold in browser.all("details.hint") if fold.get_attribute("open") is None]
    expect(len(folds) >= 3, "at least three hints, folded")


def try_guess(browser, address):
    browser.go(address)
    field = browser.one("input[id^=guess]")
    field.clear()
    field.send_keys("7" + Keys.TAB)
    browser.go(address)
    expect(browser.one("input[id^=guess]").get_attribute("value") == "7", "a guess before a fold is remembered")
    browser.click(browser.one("details.guess summary"))
    expect("You said 7" in browser.one(".guess-line").text, "and shown beside the answer")


def result_of(browser, figure):
    return browser.one(f'[data-figure="{figure}"] .result').text


def try_figures(browser, address, course):
    browser.go(address)
    expect(result_of(browser, "coalescing").startswith("One request touches 4 sectors"), "neighbouring floats: four sectors")
    offset = browser.all('[data-figure="coalescing"] input[type="range"]')[1]
    offset.send_keys(Keys.ARROW_RIGHT)
    expect(result_of(browser, "coalescing").startswith("One request touches 5 sectors"), "moved by one: five, by the arrow key")
    expect("32 wavefronts where 1" in result_of(browser, "banks"), "a column of 32: a 32-way conflict")
    browser.all('[data-figure="banks"] input[type="range"]')[1].send_keys(Keys.ARROW_RIGHT)
    expect("No conflict: 1 wavefront" in result_of(browser, "banks"), "a padding of one cures it")
    live = browser.one('[data-figure="banks"] .result').get_attribute("role")
    expect(live == "status", "the result is told to screen readers")
    browser.all('[data-figure="tiers"] button')[3].send_keys(Keys.ENTER)
    expect("692 to 701" in result_of(browser, "tiers"), "DRAM's latency, by a key")

    # What is drawn is what the table says.
    wrong = browser.run("""
      const wrong = [];
      const c = course_tables.coalescing, b = course_tables.banks;
      for (const width of c.widths) for (let lanes = 0; lanes < 5; ++lanes) for (const offset of [0, 1, 7, 31]) for (let stride = 0; stride < c.strides; ++stride) {
        const drawn = draw_lines(width, lanes, offset, stride);
        if (Number(drawn.dataset.sectors) !== entry(c, "sectors", width, lanes, offset, stride) ||
            Number(drawn.dataset.lines) !== entry(c, "lines", width, lanes, offset, stride)) wrong.push(["coalescing", width, lanes, offset, stride]);
      }
      for (const width of b.widths) for (let lanes = 0; lanes < 5; ++lanes) for (const offset of [0, 3]) for (let stride = 0; stride < b.strides; ++stride) {
        const drawn = Number(draw_banks(width, lanes, offset, stride).dataset.rows), taken = entry(b, "taken", width, lanes, offset, stride);
        if (width === 4 ? drawn !== taken : drawn < taken) wrong.push(["banks", width, lanes, offset, stride]);
      }
      return wrong;""")
    expect(not wrong, f"figures draw what the simulated GPU counts: {wrong[:3]}")

    wanted = json.loads(subprocess.check_output([course, "calc", "--json", "--bytes", "1.074GB", "--time", "256us", "--memory-clock", "3201MHz", "--bus",
                                                 "6016", "--latency", "350ns"]))
    got = browser.run("return calculate({gigabytes: 1.074, microseconds: 256, memory_mhz: 3201, bus_bits: 6016, latency_ns: 350, sms: 132})")
    for name in ("bandwidth", "peak", "share", "in_flight"):
        expect(abs(got[name] / wanted[name] - 1) < 1e-9, f"the site and course calc agree on {name}: {got[name]}, {wanted[name]}")
    field = browser.one('[data-figure="calculator"] [data-name="microseconds"]')
    field.clear()
    field.send_keys("0")
    expect("needs a number above zero" in result_of(browser, "calculator"), "a calculator without a number says so")


def try_keyboard(browser, address, wanted, width=1280):
    """Tabs through a page: all that `wanted` selects is reached, with a visible outline, and the first stop skips to the text."""
    browser.look(width, "light")
    browser.go(address)
    browser.run("window.stops = []; document.addEventListener('focusin', (e) => stops.push(e.target))")
    body = browser.one("body")
    body.send_keys(Keys.TAB)
    expect(browser.run("return document.activeElement.className") == "skip", "the first stop is the skip link")
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    expect(browser.run("return document.activeElement.id") == "content", "which leads to the text")
    missing_outline = []
    for _ in range(80):
        browser.driver.switch_to.active_element.send_keys(Keys.TAB)
        state = browser.run("""const e = document.activeElement, s = getComputedStyle(e), p = getComputedStyle(e.closest('.choice') ?? e);
            return [e === document.body, s.outlineStyle !== 'none' || p.outlineStyle !== 'none', e.outerHTML.slice(0, 60),
                    arguments[0].every((w) => stops.some((s) => s.matches(w)))]""", wanted)
        if state[0] or state[3]:
            break
        if not state[1]:
            missing_outline.append(state[2])
    expect(not missing_outline, f"focus is visible: {missing_outline[:2]}")
    for selector in wanted:
        expect(browser.run("return stops.some((s) => s.matches(arguments[0]))", selector), f"the keyboard reaches {selector}")


def try_steps(browser, address):
    """Pictures that step: by the buttons, by the arrow keys, and the focus is never lost on a button that has ended."""
    browser.look(400, "light")
    browser.go(address)
    shown = lambda: browser.one(".steps .steps-line span").text
    last = len(browser.all(".steps")[0].find_elements(By.CSS_SELECTOR, "figure"))
    expect(shown() == f"Step 1 of {last}", "steps begin with the first")
    back, on = browser.all(".steps .steps-line button")[:2]
    browser.click(on)
    expect(shown() == f"Step 2 of {last}", "a tap leads to the second step")
    for _ in range(last):
        browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    expect(shown() == f"Step {last} of {last}", "arrow keys lead to the last step, and no further")
    expect(browser.driver.switch_to.active_element == back, "at the last step the focus is on Back")
    browser.driver.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
    expect(shown() == f"Step {last - 1} of {last}", "and an arrow key leads back")


def try_search(browser, address):
    """By the key "/" into the box, a word, Enter: the section that has the word as its name."""
    browser.look(1280, "light")
    browser.go(address)
    browser.one("body").send_keys("/")
    field = browser.driver.switch_to.active_element
    expect(field.get_attribute("type") == "search", "the key / leads to the search")

    def ask(words):
        field.clear()
        field.send_keys(words)
        deadline = time.monotonic() + 5
        while browser.run("return typeof course_pages === 'undefined'") and time.monotonic() < deadline:
            time.sleep(0.02)
        return [link.text.split("\n") for link in browser.all(".search .found a")]

    first = ask("Wavefront")
    expect(first and first[0] == ["wavefront", "Glossary"], f"a word of the glossary comes first: {first[:2]}")
    expect(ask("bank")[:1] == [["bank", "Glossary"]], "the word itself comes before headings that begin with it")
    expect(["Banks and padding", "Lesson 2: shared memory"] in ask("bank"), "which come after it")
    expect(["Banks and padding", "Lesson 2: shared memory"] in ask("padding lesson 2"), "a question may name a section and its page")
    expect(2 <= len(first) <= 12, "and pages that use it after it, no more than a dozen")
    expect(ask("zzyzx") == [] and "Nothing found" in browser.one(".search [role=status]").text, "a word of no page is told to be of none")
    expect(any("expect" in " ".join(one).lower() or "in its text" in one for one in ask("expect_tx")), "a word that stands in texts only is found there")
    expect(ask("x" + Keys.BACKSPACE) == [] and browser.one(".search [role=status]").text == "", "an empty box finds nothing")
    ask("bank conflict")
    field.send_keys(Keys.ENTER)
    deadline = time.monotonic() + 5
    while "#" not in browser.driver.current_url and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(browser.driver.current_url.endswith("docs/pages/glossary.html#bank-conflict"), f"Enter leads to the first: {browser.driver.current_url}")

    browser.look(400, "light")
    browser.go(address)
    browser.one("body").send_keys("/")
    expect(browser.one("form.search input").is_displayed(), "on a phone / opens the menu first")
    browser.driver.switch_to.active_element.send_keys("x", Keys.ESCAPE)
    expect(browser.one("#navigation").is_displayed() and browser.one("form.search input").get_attribute("value") == "", "Escape empties the box")
    browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    expect(not browser.one("#navigation").is_displayed(), "and the next one closes the menu")


def try_stacks(browser, address):
    """Tables of sentences: cards on a phone, that need no scrolling; a table on a wide page."""
    state = """return [...document.querySelectorAll('.stacks:has(td:nth-child(3))')].map((one) => [one.scrollWidth - one.clientWidth, getComputedStyle(one.querySelector('tr:nth-child(1) td')).display,
        getComputedStyle(one.querySelector('td:nth-child(2)'), '::before').content])"""
    browser.look(400, "light")
    browser.go(address)
    browser.run("document.querySelectorAll('main details').forEach((one) => one.open = true)")
    narrow = browser.run(state)
    expect(narrow and all(over <= 1 and display == "block" and len(label) > 2 for over, display, label in narrow), f"on a phone rows are cards with labels: {narrow[:3]}")
    browser.look(1280, "light")
    expect(all(display == "table-cell" and label == "none" for _, display, label in browser.run(state)), "on a wide page they are rows")


def try_menu(browser, address):
    browser.look(400, "light")
    browser.go(address)
    navigation = browser.one("#navigation")
    expect(not navigation.is_displayed(), "at 400 pixels the navigation hides")
    browser.one("button.menu").send_keys(Keys.ENTER)
    expect(navigation.is_displayed(), "and opens by its button")
    browser.one("#navigation a").send_keys(Keys.ESCAPE)
    expect(not navigation.is_displayed(), "and closes by Escape")


def main():
    site, faults, course = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    browser = Browser()
    begun = time.monotonic()
    try:
        address = serve(faults)
        wrong_pages = sorted(faults.glob("*.html"))
        for page in wrong_pages:
            kind = re.match(r"<!-- expect: (\w+) -->", page.read_text()).group(1)
            found = {fault[0] for fault in check_page(browser, page, address + page.name)}
            expect(found == ({kind} if kind != "nothing" else set()), f"{page.name} has {kind}; found {sorted(found)}")

        address = serve(site)
        pages = reached_from(site / "index.html")
        expect(len(pages) > 30, "a site with pages")
        # Interfaces and source files are pages of one kind each, by the hundred: links are looked up on all, and the longest are looked at.
        size = lambda page: page.stat().st_size
        interfaces = sorted((page for page in pages if page.parent.name == "api"), key=size)
        sources = sorted((page for page in pages if re.search(r"\.(cu|cuh|cpp|hpp|h|py|txt|json)\.html$", page.name)), key=size)
        unseen = {*interfaces[:-8], *sources[:-4]} - {site / "api/index.html"}
        for page in pages:
            found = {(*fault, "") for fault in dead_links(page)} if page in unseen else check_page(browser, page, address + page.relative_to(site).as_posix())
            for kind, what, where in sorted(found):
                expect(False, f"{page.relative_to(site)}: {kind}: {what} {where}")

        lesson = next(page for page in pages if page.name == "lesson.html" and 'class="quiz"' in page.read_text())
        task = next(page for page in pages if 'class="predict"' in page.read_text())
        lesson, task = (address + page.relative_to(site).as_posix() for page in (lesson, task))
        figures = address + "docs/pages/figures.html"
        try_quiz(browser, lesson)
        try_predictions(browser, task)
        if guess := next((page for page in pages if 'class="guess"' in page.read_text()), None):
            try_guess(browser, address + guess.relative_to(site).as_posix())
        browser.look(1280, "light")
        try_figures(browser, figures, str(course))
        wanted = [f'[data-figure="{f}"] {c}' for f, c in (("coalescing", "input"), ("coalescing", "select"), ("banks", "input"), ("tiers", "button"), ("calculator", "input"))]
        try_keyboard(browser, figures, wanted)
        try_keyboard(browser, figures, ['[data-figure="banks"] .drawing'], width=400)
        try_keyboard(browser, task, [".predict input", "details.hint summary"])
        try_menu(browser, lesson)
        try_search(browser, task)
        try_stacks(browser, lesson)
        if stepped := next((page for page in pages if 'class="steps"' in page.read_text()), None):
            try_steps(browser, address + stepped.relative_to(site).as_posix())
        print(f"{len(pages) - len(unseen)} of {len(pages)} pages and {len(wrong_pages)} with faults, at {len(WIDTHS)} widths and in {len(SCHEMES)} schemes, in {time.monotonic() - begun:.0f} s")
    finally:
        browser.driver.quit()
    if failures:
        print(f"{len(failures)} failed")
        sys.exit(1)
    print("all is well")


main()
