"""A choice is taken from the command line, then the environment, then .env; a wrong one is told in a sentence."""

from pathlib import Path

import pytest

from backend.errors import SettingsError
from backend.program.command_line import CommandLineParser
from backend.program.settings import METAVARS, Settings, add_options, read_settings


def _read(*argv: str, env_file: Path | None = None) -> Settings:
    parser = CommandLineParser(prog="app.py")
    add_options(parser)
    return read_settings(vars(parser.parse_args(argv)), env_file)


def test_without_any_choice_the_app_stays_on_this_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PARLEY_PARSER")
    settings = _read()
    assert settings == Settings()
    assert (settings.host, settings.port, settings.dataset) == ("127.0.0.1", 7860, "diabetes")


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("PARLEY_PORT=1001\nPARLEY_SEED=1\nPARLEY_DATASET=german\nOTHER_PROGRAM=x\n")
    monkeypatch.setenv("PARLEY_PORT", "1002")
    monkeypatch.setenv("PARLEY_SEED", "2")
    settings = _read("--port", "1003", env_file=tmp_path / ".env")
    assert (settings.port, settings.seed, settings.dataset) == (1003, 2, "german")


def test_settings_made_in_code_look_at_nothing_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("PARLEY_PORT=1001\n")
    monkeypatch.setenv("PARLEY_SEED", "2")
    assert Settings() == Settings(port=7860, seed=0)


def test_own_data_from_the_command_line() -> None:
    settings = _read("--data", "my.csv", "--target", "y", "--model", "m.skops", "--trusted-types", "a.B, c.D,")
    assert (settings.data, settings.target, settings.model) == (Path("my.csv"), "y", Path("m.skops"))
    assert settings.trusted_types == ("a.B", "c.D")


def test_lists_and_flags_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TRUSTED_TYPES": "a.B,c.D", "ALLOW_PICKLE": "true", "MODEL": "m.pkl", "DATA": "d.csv"}.items():
        monkeypatch.setenv(f"PARLEY_{name}", value)
    settings = _read("--target", "y")
    assert settings.trusted_types == ("a.B", "c.D")
    assert settings.allow_pickle


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (["--port", "many"], "--port .*'many'.*integer"),
        (["--port", "70000"], "--port .*65535"),
        (["--seed", "-1"], "--seed"),
        (["--prot", "1"], "did you mean --port"),
        (["--port"], "--port: expected one argument"),
        (["diabetes"], "Unknown argument diabetes"),
        (["--data", "my.csv"], "--target"),
        (["--target", "y"], "--data"),
        (["--model", "m.skops"], "--data"),
        (["--allow-pickle"], "--model"),
        (["--dataset", ""], "--dataset"),
    ],
)
def test_a_wrong_choice_is_told_by_its_name(argv: list[str], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        _read(*argv)


def test_a_misspelt_name_in_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PARLEY_PROT=1\n")
    with pytest.raises(SettingsError, match=r"no setting PARLEY_PROT.*port"):
        _read(env_file=tmp_path / ".env")


def test_a_wrong_value_in_the_environment_is_told_by_both_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLEY_PORT", "x")
    with pytest.raises(SettingsError, match=r"--port \(or PARLEY_PORT\)"):
        _read()


def test_on_spaces_the_app_listens_to_the_outside_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/parley")
    assert _read().host == "0.0.0.0"
    assert _read("--host", "127.0.0.1").host == "127.0.0.1"


def test_one_folder_holds_what_is_kept(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert settings.database_address == f"sqlite:///{tmp_path / 'parley.sqlite'}"
    assert settings.cache_dir.parent == tmp_path
    assert Settings(database_url="postgresql+psycopg://host/name").database_address.startswith("postgresql")


def test_help_names_every_setting() -> None:
    parser = CommandLineParser(prog="app.py")
    add_options(parser)
    shown = parser.format_help()
    for name in Settings.model_fields:
        assert "--" + name.replace("_", "-") in shown
    flags = {name for name, field in Settings.model_fields.items() if isinstance(field.default, bool)}
    assert set(METAVARS) == set(Settings.model_fields) - flags


def test_the_variables_of_gradio_and_of_hosts_count_after_those_of_parley(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PORT", "8080"), ("GRADIO_ROOT_PATH", "/parley"), ("GRADIO_SERVER_NAME", "0.0.0.0")):
        monkeypatch.setenv(name, value)
    assert (_read().port, _read().root_path, _read().host) == (8080, "/parley", "0.0.0.0")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "8081")
    assert _read().port == 8081
    monkeypatch.setenv("PARLEY_PORT", "8082")
    assert _read().port == 8082
    assert _read("--port", "8083", "--root-path", "").root_path == ""


@pytest.mark.parametrize("path", ["parley", "/parley/", "//", "/a b", "ftp://x"])
def test_a_root_path_that_no_proxy_has_is_refused(path: str) -> None:
    with pytest.raises(SettingsError, match="--root-path"):
        _read("--root-path", path)


def test_a_wrong_port_of_the_host_is_reported_by_the_name_it_has_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "http")
    with pytest.raises(SettingsError, match=r"--port \(or PARLEY_PORT, PORT\)"):
        _read()


def test_a_space_keeps_its_files_where_they_outlive_a_restart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/parley")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("backend.program.settings.PERSISTENT", tmp_path / "missing")
    assert _read().data_dir == Path(".parley")
    monkeypatch.setattr("backend.program.settings.PERSISTENT", tmp_path)
    assert _read().data_dir == tmp_path / "parley"
    assert _read("--data-dir", "other").data_dir == Path("other")


@pytest.mark.parametrize(
    ("argv", "strangers", "private"),
    [
        ([], False, True),
        (["--host", "localhost"], False, True),
        (["--host", "0.0.0.0"], True, False),
        (["--host", "192.168.1.5"], True, False),
        (["--public"], True, False),
        (["--root-path", "/parley"], True, False),
        (["--host", "0.0.0.0", "--allow-private-addresses"], True, True),
    ],
)
def test_private_addresses_are_for_visitors_of_a_server_that_only_its_own_computer_reaches(
    argv: list[str], strangers: bool, private: bool
) -> None:
    settings = _read(*argv)
    assert (settings.open_to_strangers, settings.visitors_reach_private) == (strangers, private)


def test_on_a_space_no_visitor_reaches_private_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/parley")
    for argv in ([], ["--host", "127.0.0.1"]):
        settings = _read(*argv)
        assert (settings.open_to_strangers, settings.visitors_reach_private) == (True, False)
    with pytest.raises(SettingsError, match="--allow-private-addresses cannot be used on a Space"):
        _read("--allow-private-addresses")


def test_proxies_are_named_by_address_or_network_and_never_by_a_star() -> None:
    assert _read().trusted_proxies == ()
    assert _read("--trusted-proxies", "127.0.0.1, 10.1.2.3/8,::1").trusted_proxies == ("127.0.0.1/32", "10.0.0.0/8", "::1/128")
    for wrong in ("*", "proxy.example.org", "127.0.0.1/33"):
        with pytest.raises(SettingsError, match="--trusted-proxies"):
            _read("--trusted-proxies", wrong)


def test_on_spaces_only_the_network_of_their_proxies_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_ID", "someone/parley")
    assert _read().trusted_proxies == ("10.0.0.0/8",)
