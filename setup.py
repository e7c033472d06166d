"""Which folders an installation holds; all else stands in pyproject.toml."""

from setuptools import find_namespace_packages, setup

setup(
    # The guide is written, and read in a browser, in docs/; the program opens it among its resources.
    packages=[*find_namespace_packages(include=["core*", "gui*", "resources*"]), "resources.guide"],
    package_dir={"resources.guide": "docs/guide"},
)
