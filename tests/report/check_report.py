# Opens reports in a headless browser: they load, every chart is drawn, choices change them, nothing is fetched.
#
#   check_report.py BIN_DIR [SCREENSHOTS]
#
# Exits with 0 (all as it should be), 1 (not so, with what is wrong) or 77 (no browser, no chart library here).
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import websocket  # noqa: F401  python3-websocket
    from browser import Browser
except ImportError:
    print("skipped: python3-websocket is not installed")
    sys.exit(77)

LIBRARY = "/usr/share/javascript/chart.js/chart.min.js"

# Each report: how it is made, and which charts it must have.
RUNS = {
    "quickstart": (["scenarios/quickstart.yaml"],
                   ["Time per sample against bandwidth", "Time of a step", "Step time over training",
                    "Network over time"]),
    "gravac": (["scenarios/what_if/live_gravac.yaml", "--set", "training.steps=300"],
               ["Time of a step", "Accuracy against simulated time", "Step time over training",
                "Compression over training", "Statistics of the learner",
                "Share of steps by compression ratio"]),
    "streams": (["scenarios/what_if/drying_streams.yaml"], ["Buffers of the streams"]),
    "trace": (["scenarios/what_if/bandwidth_trace.yaml"], ["Network over time"]),
    "table5": (["scenarios/papers/flexible_communication_table5.yaml"], ["Compared with published figures"]),
}
SWEEP_CHARTS = ["Fastest arm over the axes", "Any figure against any other", "Pareto front"]

# Each chart: its title, how many points it has, and how many different colours its pixels have.
CHARTS = """[...document.querySelectorAll("figure.chart")].map((figure) => {
  const canvas = figure.querySelector("canvas");
  const chart = Chart.getChart(canvas);
  const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(image.data.buffer);
  return { title: figure.closest("section").querySelector("h2").textContent,
           points: chart ? chart.data.datasets.reduce((sum, set) => sum + set.data.length, 0) : 0,
           axes: chart ? ["x", "y"].map((name) => chart.options.scales[name].title?.text || "") : ["", ""],
           colours: new Set(pixels).size };
})"""

# Every option of every select box: whether choosing it changes what the canvas shows.
CHOICES = """[...document.querySelectorAll("figure.chart select:enabled")].map((select) => {
  const canvas = select.closest("figure").querySelector("canvas");
  const seen = new Set();
  const texts = [...select.options].map((option) => option.text);
  [...select.options].forEach((option, place) => {
    if (select.multiple) [...select.options].forEach((other) => { other.selected = other === option; });
    else select.selectedIndex = place;
    select.dispatchEvent(new Event("change"));
    seen.add(canvas.toDataURL());
  });
  select.selectedIndex = 0;
  select.dispatchEvent(new Event("change"));
  return { chart: select.closest("section").querySelector("h2").textContent, choice: select.dataset.choice,
           options: texts, pictures: seen.size };
})"""

problems = []


def expect(true, what):
    if not true:
        problems.append(what)


def expect_clean(browser, name):
    """No exception, no error and no warning in the console."""
    expect(not browser.problems, f"{name}: {browser.problems}")


def sim(bin_dir, *arguments, accept=(0,)):
    done = subprocess.run([os.path.join(bin_dir, "sim"), *arguments], capture_output=True, text=True,
                          check=False)
    if done.returncode not in accept:
        raise RuntimeError(f"sim {' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")


def write_reports(bin_dir, folder):
    pages = {}
    for name, (arguments, charts) in RUNS.items():
        out = os.path.join(folder, name)
        sim(bin_dir, "run", *arguments, "--quiet", "--out", out)
        pages[name] = (os.path.join(out, "report.html"), charts)
    database = os.path.join(folder, "sweep.db")
    sim(bin_dir, "sweep", "scenarios/quickstart.yaml", "--set", "training.steps=30", "--quiet", "--db", database,
        "--axis", "cluster.link.bandwidth=100 Mbit/s,1 Gbit/s,5 Gbit/s,25 Gbit/s",
        "--axis", "cluster.link.latency=10 us,1 ms,10 ms",
        "--set", "cluster.workers_per_node=2", "--set", "cluster.inner_link={latency: 5 us, bandwidth: 300 GB/s}",
        "--axis", "cluster.workers=2..4", accept=(1,))  # nodes of 2 do not divide 3 workers: those points fail
    sim(bin_dir, "report", database, "--quiet")
    pages["sweep"] = (os.path.join(folder, "sweep.html"), SWEEP_CHARTS)
    return pages


def check_page(browser, name, path, charts, shots):
    browser.look(1280, 900, "light")
    browser.open(path)
    expect_clean(browser, name)
    if browser.problems:
        return
    drawn = browser.evaluate(CHARTS)
    titles = [chart["title"] for chart in drawn]
    for title in charts:
        expect(title in titles, f"{name}: no chart `{title}` among {titles}")
    for chart in drawn:
        expect(chart["points"] > 0, f"{name}: `{chart['title']}` has no data")
        expect(chart["colours"] > 10, f"{name}: `{chart['title']}` is blank")
        expect(chart["axes"][0] != "", f"{name}: `{chart['title']}` does not say what its axis is")
    if shots:
        browser.screenshot(os.path.join(shots, name + "_light.png"))
    check_schemes(browser, name, shots)
    check_phone(browser, name, shots)
    check_print(browser, name, shots)
    browser.look(1280, 900, "light")
    for choice in browser.evaluate(CHOICES):
        expect(choice["pictures"] > 1,
               f"{name}: choosing {choice['choice']} of `{choice['chart']}` changes nothing")
    expect_clean(browser, name)
    elsewhere = [url for url in browser.loaded if not url.startswith(("file://" + path, "data:"))]
    expect(not elsewhere, f"{name}: loads {elsewhere}")


GROUND = "getComputedStyle(document.body).backgroundColor"


def check_schemes(browser, name, shots):
    light = browser.evaluate(GROUND)
    browser.look(1280, 900, "dark")
    dark = browser.evaluate(GROUND)
    expect(light == "rgb(255, 255, 255)" and dark != light, f"{name}: light is {light} and dark {dark}")
    if shots:
        browser.screenshot(os.path.join(shots, name + "_dark.png"))


def check_phone(browser, name, shots):
    browser.look(390, 844, "light", mobile=True)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    expect(wide <= 390, f"{name}: is {wide} pixels wide on a phone of 390")
    if shots:
        browser.screenshot(os.path.join(shots, name + "_phone.png"))


def check_print(browser, name, shots):
    browser.look(1280, 900, "light")
    pdf = browser.print()
    expect(pdf.startswith(b"%PDF") and len(pdf) > 20000, f"{name}: prints {len(pdf)} bytes")
    if shots:
        with open(os.path.join(shots, name + ".pdf"), "wb") as file:
            file.write(pdf)


# The front that the page draws for two figures is the one that holds for all rows of the page.
FRONT = """(() => {
  const figure = [...document.querySelectorAll("figure.chart")]
    .find((one) => one.closest("section").querySelector("h2").textContent === "Pareto front");
  const choose = (what, value) => {
    const select = figure.querySelector(`select[data-choice=${what}]`);
    select.value = value;
    select.dispatchEvent(new Event("change"));
  };
  choose("x", "sample_sent_bytes");
  choose("y", "throughput_samples_per_s");
  const sets = Chart.getChart(figure.querySelector("canvas")).data.datasets;
  const all = sets.slice(1).flatMap((set) => set.data);
  const beaten = (a) => all.some((b) => b.x <= a.x && b.y >= a.y && (b.x < a.x || b.y > a.y));
  return { front: sets[0].data.length, points: all.length, beaten: sets[0].data.filter(beaten).length,
           missed: all.filter((a) => !beaten(a) && !sets[0].data.some((b) => a.x === b.x && a.y === b.y)).length,
           rows: figure.closest("section").querySelector("tbody").rows.length };
})()"""


# The front's table is what the program wrote while the first axes are chosen, and again when they are.
TABLE = """(() => {
  const section = [...document.querySelectorAll("section")]
    .find((one) => one.querySelector("h2").textContent === "Pareto front");
  const written = new DOMParser().parseFromString(SOURCE, "text/html");
  const first = [...written.querySelectorAll("section")]
    .find((one) => one.querySelector("h2").textContent === "Pareto front").querySelector("table").outerHTML;
  const now = () => section.querySelector("table").outerHTML;
  const choose = (place) => {
    const select = section.querySelector("select[data-choice=x]");
    select.selectedIndex = place;
    select.dispatchEvent(new Event("change"));
  };
  const atFirst = now() === first;
  choose(2);
  const elsewhere = now() === first;
  choose(0);
  return { atFirst, elsewhere, again: now() === first };
})()"""

CAPTION = """(() => {
  const figure = [...document.querySelectorAll("figure.chart")]
    .find((one) => one.closest("section").querySelector("h2").textContent === "Pareto front");
  return figure.querySelector("figcaption").textContent;
})()"""


def check_front_table(browser, path):
    with open(path) as file:
        source = json.dumps(file.read())
    table = browser.evaluate(TABLE.replace("SOURCE", source))
    expect(table == {"atFirst": True, "elsewhere": False, "again": True}, f"table of the front: {table}")


def check_caption(browser, path, folder):
    """A page that draws only some rows says so where it counts them."""
    whole = browser.evaluate(CAPTION)
    expect(" points are on the front" in whole and "drawn" not in whole, f"caption: {whole}")
    thinned = os.path.join(folder, "thinned.html")
    with open(path) as file:
        text = file.read()
    with open(thinned, "w") as file:
        file.write(text.replace('"thinned":false', '"thinned":true'))
    browser.open(thinned)
    caption = browser.evaluate(CAPTION)
    expect(re.match(r"\d+ of the \d+ drawn points are on the front", caption), f"caption: {caption}")


def check_failed_start(folder):
    """A browser that does not answer leaves no process and no folder."""
    program, noted = os.path.join(folder, "no_browser"), os.path.join(folder, "noted")
    with open(program, "w") as file:
        file.write(f"""#!/bin/sh
for option; do case $option in --user-data-dir=*) folder=${{option#*=}};; esac; done
echo $$ "$folder" >{noted}
printf '1\n/devtools' >"$folder/DevToolsActivePort"
exec sleep 60
""")
    os.chmod(program, 0o755)
    try:
        Browser(program)
        expect(False, "a browser that does not answer was taken for one")
    except OSError:
        pass
    with open(noted) as file:
        process, profile = file.read().split()
    expect(not os.path.exists(f"/proc/{process}"), "a browser that failed is still there")
    expect(not os.path.exists(profile), "the folder of a browser that failed is still there")


def check_front(browser, path):
    browser.open(path)
    if browser.problems:
        return
    check_front_table(browser, path)
    front = browser.evaluate(FRONT)
    expect(0 < front["front"] < front["points"], f"front: {front}")
    expect(front["beaten"] == 0 and front["missed"] == 0, f"front: {front}")
    expect(front["rows"] == front["front"], f"front: {front}")


def check_malice(browser, bin_dir, folder):
    """Names and questions that try to be scripts stay texts."""
    attack = '</script><script>window.broken = 1</script><img src=x onerror="window.broken = 1">'
    arm = '<img src=x onerror="window.broken = 1"> <!--<script>'  # names of arms hold no slash
    scenario = os.path.join(folder, "malice.yaml")
    with open("scenarios/quickstart.yaml") as file:
        lines = file.read().split("\n")
    text = "\n".join([f"# {attack}?"] + lines[1:]).replace("dense-ring:", f"'{arm}':")
    with open(scenario, "w") as file:
        file.write(text)
    out = os.path.join(folder, "malice")
    sim(bin_dir, "run", scenario, "--quiet", "--set", "training.steps=20", "--out", out)
    browser.open(os.path.join(out, "report.html"))
    expect(browser.evaluate("window.broken === undefined"), "malice: a name was run")
    expect(browser.evaluate("document.querySelector('h1').textContent") == attack + "?", "malice: the question is not shown")
    expect(browser.evaluate("document.querySelectorAll('img').length") == 0, "malice: a name became an element")
    names = browser.evaluate('Chart.getChart(document.querySelector("canvas")).data.datasets.map((set) => set.label)')
    expect(arm in names, f"malice: the arm is not in {names}")
    expect_clean(browser, "malice")


def main():
    bin_dir = os.path.abspath(sys.argv[1])
    shots = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None or not os.path.exists(LIBRARY):
        print("skipped: " + ("chromium" if program is None else "libjs-chart.js") + " is not installed")
        return 77
    if shots:
        os.makedirs(shots, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gradsim_report_") as folder:
        check_failed_start(folder)
    browser = Browser(program)
    try:
        with tempfile.TemporaryDirectory(prefix="gradsim_report_") as folder:
            pages = write_reports(bin_dir, folder)
            for name, (path, charts) in pages.items():
                check_page(browser, name, path, charts, shots)
            check_front(browser, pages["sweep"][0])
            check_caption(browser, pages["sweep"][0], folder)
            check_malice(browser, bin_dir, folder)
    finally:
        browser.close()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
