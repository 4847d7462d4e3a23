#!/usr/bin/env bash
# The page of qdiff report, in a real Chromium: walked through, searched, read. TAP 13.
#
# usage: QDIFF=<build>/bin/qdiff QD_PLUGINS=<build>/plugins reports/tests/report.t [NAME…]
#
# scripts/setup browser sets up what it needs; without that its tests are skipped. Pictures of the pages go to build/report/.
# shellcheck disable=SC2317 # functions are called by names found at run time
# shellcheck source=reports/tests/harness.sh

# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/harness.sh"

python=/usr/bin/python3 # Debian's, which has Debian's python3-selenium
driver=$root/reports/tests/report_page.py

# The libraries of the page, or a skip.
needs_page()
{
    echo '{"record": "header", "schema": 3}' >"$scratch/empty.jsonl"
    "$qdiff" report "$scratch/empty.jsonl" -o "$scratch/empty" >"$scratch/out" 2>"$scratch/err" && return
    grep -q 'run scripts/setup report' "$scratch/err" || { cat "$scratch/err"; exit 1; }
    echo "the libraries of the page are not set up; scripts/setup browser does it"
    exit 77
}

needs_browser()
{
    needs_page
    if [ ! -x /usr/bin/chromium ] || [ ! -x /usr/bin/chromedriver ] || ! "$python" -c 'import selenium' 2>/dev/null; then
        echo "Chromium or its driver is not installed; scripts/setup browser does it"
        exit 77
    fi
}

test_front_to_case_to_repro()
{
    local file target verdict wrong
    needs_browser
    needs ort@1.26.0
    needs ort@1.31.1
    qd 1 run -t ort@1.26.0 --no-expectations --level smoke --results "$scratch/old.jsonl" || return 1
    qd 0 run -t ort@1.31.1 --level smoke --results "$scratch/new.jsonl" || return 1
    qd 0 report "$scratch/old.jsonl" "$scratch/new.jsonl" --output "$scratch/page" || return 1
    mkdir "$scratch/downloads"
    "$python" "$driver" walk "$scratch/page" "$root/build/report" "$scratch/downloads" >"$scratch/walked" || return 1
    read -r file target verdict wrong <"$scratch/walked"
    # What the page says of the case is what the case does.
    qd 1 repro "$file" --target "$target" --no-expectations && has out "$verdict  $wrong of "
}

# A results file with an id and a message that are HTML.
test_hostile_text_stays_text()
{
    local id='x/<script>hacked=1</script>' message="<img src=x onerror=hacked=1>' onclick='hacked=1"
    needs_browser
    "$python" - "$id" "$message" >"$scratch/hostile.jsonl" <<'PY'
import json, sys
identifier, message = sys.argv[1:]
bad = "<b onmouseover=hacked=1>lib</b>"
print(json.dumps({"record": "header", "schema": 3, "suite": bad, "commit": bad, "started": bad, "machine": {"cpu": bad}, "level": "smoke",
                  "targets": [{"id": bad, "name": bad, "version": v, "settings": bad} for v in ("1", bad)]}))
for number in range(3):
    print(json.dumps({"record": "result", "id": f"{identifier}{number}", "op": bad, "target": bad, "kind": "fail", "verdict": "wrong-value", "message": message,
                      "features": bad, "tags": bad, "clause": bad, "want": bad, "have": bad, "element": bad, "issue": bad, "diagnosis": bad, "effect": bad,
                      "seen": bad, "answers": "0!" + bad, "parameters": [[bad, bad]], "mismatched": 1, "compared": 1}))
PY
    qd 0 report "$scratch/hostile.jsonl" --output "$scratch/hostile" &&
        "$python" "$driver" hostile "$scratch/hostile" "$id" "$message"
}

# The kill matrix of a self-test, and three nights: one saw a and b, the next b and c, the last nothing; what is torn is an error.
test_kills_and_nights()
{
    local night quirks cells
    needs_browser
    "$qdiff" self-test --level smoke --filter 'QLinearConv/*' --filter 'regressions/*' --json --output "$scratch/kills.jsonl" >/dev/null
    mkdir -p "$scratch/nights/"{1,2,3,killed}
    for night in '1 "a": {"first": "2026-01-01T00:00:01Z", "targets": ["t"]}, "b": {"targets": []}|"a", "b"|' \
        '2 "b": {"targets": ["t"]}, "<i>c</i>": {"targets": ["t"]}|"<i>c</i>"|"a"' '3 ||"b", "<i>c</i>"'; do
        IFS='|' read -r found new gone <<<"${night:2}"
        echo "{\"id\": \"n${night:0:1}\", \"start\": \"2026-01-0${night:0:1}T00:00:00Z\", \"interrupted\": false,
            \"targets\": {\"t\": {\"executions\": 5, \"compared_share\": 0.5}},
            \"findings\": {\"all\": {$found}, \"new\": [$new], \"gone\": [$gone]}}" >"$scratch/nights/${night:0:1}/summary.json"
    done
    qd 0 report "$scratch/empty.jsonl" --kills "$scratch/kills.jsonl" --nights "$scratch/nights" -o "$scratch/history" &&
        "$python" "$driver" history "$scratch/history" "$root/build/report" >"$scratch/drawn" || return 1
    quirks=$(wc -l <"$scratch/kills.jsonl")
    cells=$("$python" -c 'import json, sys; print(sum(len(json.loads(line)["families"]) for line in sys.stdin))' <"$scratch/kills.jsonl")
    # Bars: new of 1; new, still and gone of 2; gone of 3. Findings: a, b, c.
    [ "$(cat "$scratch/drawn")" = "$quirks $cells 5 3" ] || { cat "$scratch/drawn"; echo "want $quirks $cells 5 3"; return 1; }
    head -c 40 "$scratch/kills.jsonl" >"$scratch/torn.jsonl"
    qd 2 report "$scratch/empty.jsonl" --kills "$scratch/torn.jsonl" -o "$scratch/torn" && has err "torn.jsonl, line 1" &&
        [ ! -e "$scratch/torn" ] || return 1
    qd 2 report "$scratch/empty.jsonl" --nights "$scratch" -o "$scratch/torn" && has err "no NIGHT/summary.json" || return 1
    echo '{"id": 7}' >"$scratch/nights/killed/summary.json"
    qd 2 report "$scratch/empty.jsonl" --nights "$scratch/nights" -o "$scratch/torn" && has err "killed/summary.json: no summary"
}

# A hundred thousand results of which a tenth fail: it can be sent by mail, and opens.
test_many_results_stay_small()
{
    local bytes
    needs_browser
    "$python" - >"$scratch/many.jsonl" <<'PY'
import json
print(json.dumps({"record": "header", "schema": 3, "suite": "1", "commit": "c", "started": "now", "machine": {"cpu": "cpu"}, "level": "smoke",
                  "targets": [{"id": f"lib@1[x={i}]", "name": "lib", "version": "1", "settings": f"x={i}"} for i in range(4)]}))
for number in range(25000):
    for column in range(4):
        result = {"record": "result", "id": f"Conv/random-u8-2d-k3-pads-case-with-a-long-name/{number:08x}", "op": f"Op{number % 60}",
                  "target": f"lib@1[x={column}]", "features": "bias,2d,x-u8,w-s8", "tags": "random", "elements": 100, "compared": 100}
        if number % 10 == 0:
            result.update(kind="fail", verdict="wrong-value", mismatched=7, element="[0, 0, 0, 1]", want="3", have="4", lo="3", hi="3",
                          answers=" ".join(f"{i}!4" for i in range(7)), diagnosis=f"quirk-{number % 200}", facts="7 of 100 elements differ; by +1: 7")
        else:
            result.update(kind="pass", verdict="exact", exact=100)
        print(json.dumps(result))
PY
    qd 0 report "$scratch/many.jsonl" --output "$scratch/many" || return 1
    bytes=$(du -sb "$scratch/many" | cut -f1)
    "$python" "$driver" opens "$scratch/many" >"$scratch/opened" || return 1
    echo "$bytes bytes, drawn after $(cat "$scratch/opened") ms"
    [ "$bytes" -lt 15000000 ]
}

# What is no report is not overwritten; without its libraries no half page is written.
test_other_directories_are_left_alone()
{
    needs_page
    mkdir "$scratch/mine"
    echo precious >"$scratch/mine/index.html"
    qd 2 report "$scratch/empty.jsonl" -o "$scratch/mine" && has err "no report of qdiff" && has mine/index.html precious || return 1
    echo old >"$scratch/empty/cases/7.js"
    qd 0 report "$scratch/empty.jsonl" -o "$scratch/empty" || return 1 # which is a report, and may be written again
    [ ! -e "$scratch/empty/cases/7.js" ] || return 1                   # without what is left of it
    QDIFF_CACHE=$scratch/nowhere qd 2 report "$scratch/empty.jsonl" -o "$scratch/none" && has err "scripts/setup report" &&
        [ ! -e "$scratch/none" ]
}

# The pins of the page and of the script are the same.
test_a_full_disk_is_exit_4()
{
    needs_page
    qd 0 run -t reference "${few[@]}" -r "$scratch/r.jsonl" && full report "$scratch/r.jsonl" -o "$scratch/f.page"
}

test_libraries_are_pinned()
{
    local package version stem
    # shellcheck disable=SC2034 # the columns before the version
    while IFS=$'\t' read -r for kind package version _; do
        stem=${package#@}
        grep -qF "\"${stem//\//-}-$version\"" "$root/reports/report/libraries.def" || { echo "no library $package $version"; return 1; }
    done < <(grep -P '^report\tnpm\t' "$root/scripts/downloads.tsv")
    [ "$(grep -c '^QD_LIBRARY' "$root/reports/report/libraries.def")" -ge 5 ]
}

run_tests "$@"
