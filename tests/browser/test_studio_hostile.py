"""Names in a file that are scripts: the studio shows them as what they are, in every tab, and runs nothing."""

from __future__ import annotations

import pytest

from tests.browser.conftest import until
from tests.browser.studios import becomes, begin, quiet, studio, text_of

SCRIPT = "<img src=x onerror=document.title='run'><script>document.title='run'</script>"
MATHS = "<math><mtext><style><img src=x onerror=document.title='run'>"


def test_names_that_are_scripts_run_nothing(browser_tab, tmp_path):
    page = browser_tab.page
    with studio(tmp_path / "work") as served:
        begin(page, served.address)
        hostile = text_of(page).replace("link1", f"{SCRIPT}1").replace('name = "arm"', f'name = "{SCRIPT}"')
        hostile = hostile.replace('"A planar arm with two links."', f'"{MATHS}"')
        page.evaluate("text => studio.doc.start(text, 'toml', '<script>.toml')", hostile)
        becomes(page, "studio.doc.problems.length || studio.doc.good?.text.includes('<script>')")
        for name in ("equations", "motion", "inverse", "study", "checks"):
            page.locator(f"#tab-{name}").click()
            page.wait_for_timeout(300)
        page.locator("#tab-motion").click()
        page.locator("#panel-motion button.primary").click()
        assert until(page, lambda: page.locator("#panel-motion .uplot, #panel-motion .trouble").count() > 0)
        page.locator("#save").click()
        page.locator("dialog h2").wait_for()
        page.keyboard.press("Escape")
        assert "run" not in page.title()
        assert page.evaluate("document.querySelectorAll('main img, main script, dialog img, header img').length") == 0
        assert browser_tab.complaints == []  # a script that the page's policy stops would be one
        assert browser_tab.foreign((served.origin, "data:", "blob:")) == []


@pytest.mark.slow
def test_typeset_text_is_taken_over_element_by_element(browser_tab, tmp_path):
    page = browser_tab.page
    with studio(tmp_path / "work") as served:
        begin(page, served.address)
        quiet(page)
        html = page.evaluate(
            """async (text) => {
                const { typeset } = await import("/page/js/typeset.js"), box = document.createElement("div");
                box.append(typeset(text));
                document.body.append(box);
                return box.innerHTML;
            }""",
            '<math><mi onclick="run()" href="javascript:run()">x</mi><maction><mi>y</mi></maction></math>'
            f"{SCRIPT}{MATHS}<svg onload=run()></svg>",
        )
        assert html.startswith("<math><mi>x</mi></math>")
        assert not any(word in html for word in ("img", "script", "onclick", "href", "svg", "style", "maction"))
