"""A browser for the tests of the exported page."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.gui.browser_kit import Browser, running


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Generator[Browser]:
    with running(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture
def page(browser: Browser) -> Browser:
    """The browser on a desk, in the light, with nothing to complain of so far."""
    browser.size(1280, 720)
    browser.shade(False)
    browser.events.clear()
    return browser
