"""Patches: cut against plain loops, twins that find each other, files of every kind."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from core.base.errors import UserError
from core.labs.patches import LAB, PICTURES, SIDES, cut, features, read_picture, shipped


@pytest.mark.parametrize("side", [int(side) for side in SIDES])
def test_patches_are_cut_pixel_by_pixel(side: int) -> None:
    pixels = shipped("lake")
    patches = cut(pixels, side)
    for row, column, y, x in ((0, 0, 0, 0), (1, 2, 3, 1), (2, 4, side - 1, side - 2)):
        assert (
            patches[row, column, y, x].tolist()
            == pixels[row * side + y, column * side + x].tolist()
        )


def test_what_does_not_fill_a_patch_is_left_out() -> None:
    assert cut(np.zeros((37, 50, 3)), 16).shape == (2, 3, 16, 16, 3)


def test_features_by_plain_loops() -> None:
    patches = cut(shipped("apples"), 32)
    rows, columns = patches.shape[:2]
    reds = [
        sum(float(pixel[0]) for line in patches[row, column] for pixel in line) / 32**2
        for row in range(rows)
        for column in range(columns)
    ]
    mean = sum(reds) / len(reds)
    deviation = math.sqrt(sum((red - mean) ** 2 for red in reds) / len(reds))
    assert features(patches, 0.0)[:, 0].tolist() == pytest.approx(
        [(red - mean) / deviation for red in reds], abs=1e-12
    )


def test_a_picture_of_one_colour_gives_vectors_of_zeros_and_even_weights(tmp_path: Path) -> None:
    Image.new("RGB", (64, 64), "#336699").save(tmp_path / "plain.png")
    result = LAB.compute(LAB.open(LAB.start(), "open", tmp_path / "plain.png"))
    assert result.weights.tolist() == pytest.approx(np.full((16, 16), 1 / 16), abs=1e-12)
    assert result.seen[0, 0].tolist() == pytest.approx([0x33 / 255, 0x66 / 255, 0x99 / 255])


def test_a_patch_of_the_left_apple_looks_at_the_right_apple() -> None:
    setting = LAB.start(None, {"picture": "apples", "side": "16", "sharpness": 4.0})
    columns = LAB.compute(setting).columns
    left, right = 4 * columns + 2, 4 * columns + 9  # the same place on each red apple
    weights = LAB.compute(LAB.with_value(setting, "patch", left + 1)).weights[left]
    green = 4 * columns + 5
    assert weights[right] > 20 * weights[green]


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_patch_has_become_is_the_weighted_mean_of_colours(name: str) -> None:
    result = LAB.compute(LAB.start(None, {"picture": name, "side": "32"}))
    colours = cut(shipped(name), 32).mean(axis=(2, 3)).reshape(-1, 3)
    for patch in range(result.n):
        expected = [
            sum(float(w) * float(c[i]) for w, c in zip(result.weights[patch], colours, strict=True))
            for i in range(3)
        ]
        assert result.seen[result.place(patch)].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "gif"])
def test_pictures_of_every_kind_and_size_are_read(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"photo.{ending}"
    Image.effect_noise((700, 500), 60).convert("RGB").save(file)
    pixels = read_picture(file)
    assert pixels.shape == (137, 192, 3)
    assert 0.0 <= pixels.min() < pixels.max() <= 1.0


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "text.png"
    file.write_text("no picture", encoding="utf-8")
    with pytest.raises(UserError, match=r"picture\.unreadable"):
        LAB.open(LAB.start(), "open", file)
    with pytest.raises(UserError, match="missing"):
        read_picture(tmp_path / "missing.png")
    Image.new("RGB", (20, 400)).save(tmp_path / "thin.png")
    with pytest.raises(UserError, match=r"picture\.small"):
        read_picture(tmp_path / "thin.png")
    whole = tmp_path / "cut.png"
    Image.effect_noise((200, 200), 60).save(whole)
    whole.write_bytes(whole.read_bytes()[:9000])
    with pytest.raises(UserError, match=r"picture\.unreadable"):
        read_picture(whole)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "bomb.png"
    Image.new("1", (9000, 9000)).save(file)
    assert file.stat().st_size < 100_000
    with pytest.raises(UserError, match=r"picture\.large"):
        read_picture(file)


@pytest.mark.parametrize("size", [(1200, 150), (150, 1200), (384, 32), (33, 200), (6000, 4000)])
def test_every_patch_size_fits_a_picture_of_any_shape(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "x.png"
    Image.new("RGB", size, "red").save(path)
    pixels = read_picture(path)
    for side in SIDES:
        rows, columns = cut(pixels, int(side)).shape[:2]
        assert 1 <= rows * columns <= 576
    assert pixels.shape[1] / pixels.shape[0] == pytest.approx(size[0] / size[1], rel=0.1)


def test_a_strip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    Image.new("RGB", (1500, 100), "red").save(path)
    with pytest.raises(UserError) as caught:
        read_picture(path)
    assert caught.value.data["reason"] == "picture.narrow"


def test_sixteen_bit_grey_keeps_its_brightness(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    ramp = np.linspace(0, 65535, 64).astype(np.uint16)
    Image.fromarray(np.tile(ramp, (64, 1))).save(path)
    pixels = read_picture(path)
    for x in (0, 20, 40, 63):
        assert pixels[5, x] == pytest.approx([int(ramp[x]) / 65535] * 3, abs=1 / 255)


def test_a_turned_camera_gives_an_upright_picture(tmp_path: Path) -> None:
    path = tmp_path / "x.jpg"
    picture = Image.new("RGB", (96, 64), "black")
    picture.paste("white", (0, 0, 48, 64))  # the left half
    exif = picture.getexif()
    exif[0x0112] = 6  # the camera was turned: rotate clockwise by 90 degrees to see it
    picture.save(path, exif=exif, quality=95)
    pixels = read_picture(path)
    assert pixels.shape[:2] == (96, 64)
    assert pixels[5, 30].mean() > 0.9  # what was on the left is on top
    assert pixels[90, 30].mean() < 0.1


def test_transparent_parts_lie_on_white(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    Image.new("RGBA", (64, 64), (255, 0, 0, 0)).save(path)
    assert (read_picture(path) == 1.0).all()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.png", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 64 64\n{} loop\n"),
        ("x.jpg", b"DDS " + bytes([124]) + bytes(200)),
        ("x.webp", b"\0\0\0\x1cftypavif" + bytes(100)),
        ("x.gif", b"II*\0" + bytes(100)),
    ],
)
def test_formats_that_are_not_named_are_never_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr("subprocess.Popen", forbidden)
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UserError) as caught:
        read_picture(path)
    assert caught.value.data["reason"] == "picture.unreadable"


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "gif"])
def test_damaged_files_are_refused_or_read(tmp_path: Path, ending: str) -> None:
    path, damaged = tmp_path / f"x.{ending}", tmp_path / f"y.{ending}"
    Image.effect_noise((64, 64), 50).convert("RGB").save(path)
    whole = path.read_bytes()
    generator = np.random.default_rng(1)
    for _ in range(40):
        data = bytearray(whole[: generator.integers(1, len(whole) + 1)])
        for place in generator.integers(0, len(data), 5):
            data[place] = generator.integers(0, 256)
        damaged.write_bytes(data)
        try:
            assert np.isfinite(read_picture(damaged)).all()
        except UserError as problem:
            assert problem.code == "lab.picture"
