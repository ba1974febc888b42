"""The cache returns what it was given or nothing, never something else; and it stays within its bounds."""

import os
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from backend.errors import CacheError
from backend.storage.cache import Cache
from backend.storage.content_key import content_key

KEY = content_key("some content")


def _only_file(folder: Path) -> Path:
    (path,) = folder.glob("??/*.npz")
    return path


def test_values_survive_a_restart(tmp_path: Path) -> None:
    pair = (np.float64(0.1), np.arange(6.0).reshape(2, 3))
    value = {"name": "é", "scores": [1, 2.5, None, True], "empty": {}, "pair": pair}
    Cache(tmp_path).put(KEY, value)
    got = Cache(tmp_path).get(KEY)
    assert got["scores"] == [1, 2.5, None, True]
    assert (got["name"], got["empty"], got["pair"][0]) == ("é", {}, 0.1)
    np.testing.assert_array_equal(got["pair"][1], np.arange(6.0).reshape(2, 3))


def test_memory_and_disk_return_the_same(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first = cache.get_or_compute(KEY, lambda: {"pair": (1, 2)})
    assert first == cache.get(KEY) == Cache(tmp_path).get(KEY) == {"pair": [1, 2]}


def test_a_reader_cannot_spoil_a_value_for_the_next_one(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    given = np.zeros(3)
    cache.put(KEY, {"list": [1], "array": given})
    given[0] = 9.0
    got = cache.get(KEY)
    got["list"].append(2)
    with pytest.raises(ValueError, match="read-only"):
        got["array"][0] = 1.0
    assert cache.get(KEY)["list"] == [1]
    assert cache.get(KEY)["array"].sum() == 0.0


def test_an_unknown_key_is_a_miss(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        Cache(tmp_path).get(KEY)


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "text", "pickle"])
def test_a_damaged_file_is_a_miss_and_is_computed_again(tmp_path: Path, damage: str) -> None:
    Cache(tmp_path).put(KEY, {"array": np.arange(1000)})
    path = _only_file(tmp_path)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(
        {
            "cut": whole[:middle],
            "flipped": whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :],
            "emptied": b"",
            "text": b"not a cache file",
            "pickle": pickle.dumps({"array": [1]}),
        }[damage]
    )
    assert Cache(tmp_path).get_or_compute(KEY, lambda: "anew") == "anew"
    assert Cache(tmp_path).get(KEY) == "anew"


def test_a_pickle_inside_a_cache_file_is_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (os.mkdir, (str(tmp_path / "sprung"),))

    Cache(tmp_path).put(KEY, "harmless")
    np.savez(_only_file(tmp_path), allow_pickle=True, json=np.array([Trap()], dtype=object))
    with pytest.raises(KeyError):
        Cache(tmp_path).get(KEY)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("value", [object(), {1: "a"}, {"__array__": 0}, np.array([object()]), [{1, 2}]])
def test_what_cannot_be_kept_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(CacheError, match="cannot be kept"):
        Cache(tmp_path).put(KEY, value)


def test_a_key_cannot_reach_out_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(CacheError):
        Cache(tmp_path).put("../../outside", 1)


def test_the_longest_unused_files_go_first_when_the_folder_is_full(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=100_000, memory_bytes=0)
    keys = [content_key(number) for number in range(8)]
    for age, key in enumerate(keys):
        cache.put(key, np.zeros(1250))  # a good 10 kB each
        path = tmp_path / key[:2] / f"{key}.npz"
        os.utime(path, (time.time() - 1000 + age, time.time() - 1000 + age))
    cache.get(keys[0])
    for number in range(8, 14):
        cache.put(content_key(number), np.zeros(1250))
    with pytest.raises(KeyError):
        cache.get(keys[1])
    assert cache.get(keys[0]).shape == (1250,)
    assert sum(path.stat().st_size for path in tmp_path.glob("??/*")) <= 100_000


def test_memory_alone_serves_when_the_disk_does_not(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    cache.put(KEY, [1])
    assert cache.get(KEY) == [1]


def test_a_folder_that_cannot_be_made_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match="cannot be made"):
        Cache(tmp_path / "file" / "cache")


def test_twenty_askers_at_once_cost_one_computation(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    calls: list[int] = []
    together = threading.Barrier(20)

    def compute() -> list[int]:
        calls.append(1)
        time.sleep(0.05)
        return [7]

    def ask(_: int) -> object:
        together.wait()
        return cache.get_or_compute(KEY, compute)

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(ask, range(20))) == [[7]] * 20
    assert len(calls) == 1


def test_a_failed_computation_is_tried_again_by_the_next_asker(tmp_path: Path) -> None:
    cache = Cache(tmp_path)

    def fail() -> object:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        cache.get_or_compute(KEY, fail)
    assert cache.get_or_compute(KEY, lambda: 1) == 1


def test_many_threads_over_a_small_cache_never_see_a_wrong_value(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=30_000, memory_bytes=5_000)

    def work(seed: int) -> bool:
        numbers = np.random.default_rng(seed).integers(0, 20, 60)
        return all(cache.get_or_compute(content_key(int(n)), lambda n=n: np.full(200, n))[0] == n for n in numbers)

    with ThreadPoolExecutor(12) as pool:
        assert all(pool.map(work, range(12)))
    assert not list(tmp_path.glob("??/*.part"))
