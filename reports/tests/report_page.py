# SPDX-License-Identifier: Apache-2.0
"""Opens a page of qdiff report in Chromium and does what a person does with it; reports/tests/report.t calls it.

    report_page.py walk PAGE PICTURES DOWNLOADS   front -> cell -> cause -> case -> download; prints "file target verdict differ"
    report_page.py hostile PAGE ID MESSAGE        every page shows them as text, and nothing of them runs
    report_page.py opens PAGE                     prints the milliseconds until the front page is drawn
    report_page.py history PAGE PICTURES          the kill matrix and the nights; prints the quirks, cells, bars and findings that are drawn

Every mode fails on an error in the console, and on anything that was loaded from elsewhere than the page's directory.
"""
import base64
import pathlib
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60  # seconds; only a page that does not come at all is waited for so long
HASHES = ["#/", "#/causes", "#/releases", "#/coverage", "#/quirks", "#/nights"]


class Browser:
    def __init__(self, page, downloads=None, width=1240, height=1000, dark=False):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                         f"--window-size={width},{height}", *(["--blink-settings=preferredColorScheme=0"] if dark else [])):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        if downloads:
            self.driver.execute_cdp_cmd("Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        self.url = pathlib.Path(page).resolve().joinpath("index.html").as_uri()
        self.driver.get(self.url)

    def wait(self, condition, what):
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: condition(), f"not seen: {what}")

    def go(self, address):
        self.driver.execute_script("location.hash = arguments[0]", address)
        self.wait(lambda: self.driver.execute_script("return document.getElementById('main').dataset.ready === location.hash"), address)
        time.sleep(0.3)  # tables are drawn after the page

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        self.wait(lambda: self.all(selector), selector)
        return self.all(selector)[0]

    def follow(self, element):
        before = self.driver.execute_script("return location.hash")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        self.wait(lambda: self.driver.execute_script("return location.hash") != before, "another page")
        self.wait(lambda: self.driver.execute_script("return document.getElementById('main').dataset.ready === location.hash"), "its content")

    def colour(self, variable):
        script = "const e = document.createElement('i'); e.style.color = `var(${arguments[0]})`; document.body.append(e);" \
                 "const c = getComputedStyle(e).color; e.remove(); return c"
        return self.driver.execute_script(script, variable)

    def picture(self, name):
        self.driver.save_screenshot(str(name))

    def clip(self, name, selectors, most):
        """A picture of the elements, of `most` pixels of height at most; the window's size does not matter."""
        boxes = [self.driver.execute_script("const r = arguments[0].getBoundingClientRect(); return [r.left, r.top + scrollY, r.right, r.bottom + scrollY]", self.one(selector))
                 for selector in selectors]
        left, top, right, bottom = (edge(box[i] for box in boxes) for i, edge in enumerate((min, min, max, max)))
        area = {"x": left - 8, "y": top - 8, "width": right - left + 16, "height": min(bottom - top, most) + 16, "scale": 1}
        shot = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"clip": area, "captureBeyondViewport": True})
        name.write_bytes(base64.b64decode(shot["data"]))

    def end(self):
        loaded = self.driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        directory = self.url.rsplit("/", 1)[0]
        strangers = [name for name in loaded if not name.startswith((directory, "data:", "blob:"))]
        assert not strangers, strangers
        errors = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        assert not errors, errors
        self.driver.quit()


def read_heat_map(browser):
    """How many cells of the first output's map have each colour, in all its slices, by the state that the colour stands for."""
    fills = browser.driver.execute_script("""
        const heat = document.querySelector('.heat'), slices = heat.closest('.map').querySelector('select'), fills = [];
        for (const slice of slices ? [...slices.options].map((option) => option.value) : [null]) {
            if (slices) {
                slices.value = slice;
                slices.dispatchEvent(new Event('change'));
            }
            for (const r of heat.querySelector('svg').querySelectorAll('g[aria-label=cell] rect')) fills.push(getComputedStyle(r).fill);
        }
        return fills""")
    states = {browser.colour(f"--heat-{state}"): state for state in ("exact", "admissible", "wrong", "unspecified", "not-recorded")}
    assert len(states) == 5, states
    counts = {}
    for fill in fills:
        counts[states[fill]] = counts.get(states[fill], 0) + 1
    return counts


def search(browser, words, wanted):
    box = browser.one("#search input")
    browser.driver.find_element(By.TAG_NAME, "body").send_keys("/")
    assert browser.driver.switch_to.active_element == box, "the key / does not lead to the search"
    box.send_keys(words)
    browser.wait(lambda: any(wanted in found.text for found in browser.all("#found a")), wanted)
    box.send_keys(Keys.ESCAPE)
    box.clear()


def cause_of_cell(browser, row, column, cause):
    """Front -> the cell of an operator and target -> the list of its causes -> one of them."""
    browser.go("#/")
    cell = next(cell for cell in browser.all("a.cell") if cell.get_attribute("data-row") == row and column in cell.get_attribute("data-column"))
    browser.follow(cell)
    browser.wait(lambda: any(link.text == cause for link in browser.all(".causes a")), cause)
    listed = len(browser.all(".causes .tabulator-row"))
    every = int(browser.driver.execute_script("return front.causes.length"))
    assert 0 < listed < every, (listed, every)  # it is filtered
    browser.follow(next(link for link in browser.all(".causes a") if link.text == cause))


def case_with_map(browser):
    """The member of the cause with the most wrong elements that has details."""
    browser.one(".members .tabulator-row a")
    rows = [row for row in browser.all(".members .tabulator-row") if "short page" not in row.text]
    differs = lambda row: int(row.find_elements(By.CSS_SELECTOR, ".tabulator-cell")[4].text.split(" of ")[0])
    row = max(rows, key=differs)
    wrong = differs(row)
    browser.follow(row.find_element(By.CSS_SELECTOR, "a"))
    return wrong


def download(browser, downloads):
    browser.one("#download").click()
    directory = pathlib.Path(downloads)
    browser.wait(lambda: list(directory.glob("*.qdcase")), "the download")
    return next(directory.glob("*.qdcase"))


def take_pictures(page, pictures, case):
    """What a reviewer looks at: each page in light and dark, the front as it is printed, and the two pictures of the README."""
    for dark in (False, True):
        browser = Browser(page, width=1180, height=1380, dark=dark)
        for address, name in [("#/", "front"), ("#/causes", "causes"), (case, "case"), ("#/releases", "releases"), ("#/coverage", "coverage"), ("#/quirks", "quirks")]:
            browser.go(address)
            browser.picture(pictures / f"{name}{'-dark' if dark else ''}.png")
        browser.end()
    browser = Browser(page, width=1180, height=1380)
    browser.go("#/")
    browser.clip(pictures / "matrix.png", [".matrix"], 620)
    (pictures / "front.pdf").write_bytes(base64.b64decode(browser.driver.print_page()))
    browser.go(case)
    browser.clip(pictures / "heat-map.png", [".map .legend span", ".map svg"], 700)
    browser.end()


def walk(page, pictures, downloads):
    pictures = pathlib.Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(page, downloads)
    browser.one(".matrix a.cell")
    search(browser, "25512 qlinearadd", "regressions/ort-25512-qlinearadd")
    for by in ("family", "type", "feature", "tag", "operator"):
        next(button for button in browser.all(".switch button") if button.text == f"by {by}").click()
        browser.one(".matrix .tabulator-row")
    cause_of_cell(browser, "com.microsoft:QLinearAveragePool", "ort@1.26.0", "zero-point-before-rounding")
    wrong = case_with_map(browser)
    counts = read_heat_map(browser)
    assert counts["wrong"] == wrong, (counts, wrong)
    command = browser.one(".group .command code").text
    target = command.split("--target '")[1].split("'")[0]
    verdict = browser.one(".group h2").text.split(" on ")[0]
    arithmetic = browser.one("pre.arithmetic").text
    assert "real = " in arithmetic and "<- what the target gave" in arithmetic, arithmetic
    assert len(browser.all(".graph .box")) >= 3
    saved = download(browser, downloads)
    address = browser.driver.execute_script("return location.hash")
    browser.go("#/releases")
    assert browser.all(".releases .tabulator-row"), "no release"
    browser.go("#/coverage")
    browser.one(".coverage button.link").click()
    browser.one(".chip.is-covered")
    browser.go("#/quirks")
    assert len(browser.all(".quirks .tabulator-row")) > 100
    browser.end()
    take_pictures(page, pictures, address)
    print(saved, target, verdict, wrong)


def hostile(page, identifier, message):
    browser = Browser(page)
    browser.one("#main h1")
    addresses = HASHES + browser.driver.execute_script("return [...front.causes.keys()].map(causeLink).concat([...front.cases.keys()].map(caseLink))")
    seen = ""
    for address in addresses:
        browser.go(address)
        seen += browser.driver.execute_script("return document.body.innerText")
        assert browser.driver.execute_script("return typeof hacked") == "undefined", address
        assert not browser.all("main script, main img, main iframe"), address
    assert identifier in seen and message in seen, "not shown as it is"
    browser.end()


def history(page, pictures):
    pictures = pathlib.Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    browser = Browser(page, width=1180, height=1380)
    browser.go("#/quirks")
    kills = len(browser.all(".kills g[aria-label=cell] rect"))
    rows = len(browser.all(".kills g[aria-label='y-axis tick label'] text"))
    browser.clip(pictures / "kills.png", [".kills svg"], 1400)
    browser.go("#/nights")
    bars = len([bar for bar in browser.all(".nightplot g[aria-label=bar] rect") if float(bar.get_attribute("height")) > 0])
    findings = len(browser.all(".findings .tabulator-row"))
    browser.picture(pictures / "nights.png")
    browser.end()
    print(rows, kills, bars, findings)


def opens(page):
    browser = Browser(page)
    browser.one(".matrix .tabulator-row")
    print(int(browser.driver.execute_script("return performance.now()")))
    browser.go("#/causes")
    browser.end()


if __name__ == "__main__":
    {"walk": walk, "hostile": hostile, "opens": opens, "history": history}[sys.argv[1]](*sys.argv[2:])
