# shellcheck shell=bash
# What the steps `space` and `fresh` share; sourced by them. Each makes a folder $work, which goes when the step ends, and
# every process that it starts is ended by its id.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
repository=$PWD

work=$(mktemp -d)
running=
cleared() {
  if [[ -n $running ]] && kill "$running" 2>/dev/null; then wait "$running" 2>/dev/null || true; fi
  chmod -R u+w "$work"
  rm -rf "$work"
}
trap cleared EXIT

# uv resolves and installs in seconds what takes pip minutes. Links of pip's own settings count for it too.
export UV_FIND_LINKS="${UV_FIND_LINKS-${PIP_FIND_LINKS-}}" UV_NO_PROGRESS=1
uv() {
  if type -P uv >/dev/null; then
    command uv "$@"
  elif [[ -x $repository/.venv/bin/uv ]]; then
    "$repository/.venv/bin/uv" "$@"
  else
    [[ -x $work/uv/bin/uv ]] || { python3.11 -m venv "$work/uv" && "$work/uv/bin/python" -m pip install --quiet uv==0.13.9; }
    "$work/uv/bin/uv" "$@"
  fi
}

free_port() { python3.11 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# served PYTHON PORT COMMAND...: start the command, wait for its page, ask it, end it. PYTHON has gradio_client.
served() {
  local python=$1 port=$2
  shift 2
  "$@" >"$work/log" 2>&1 &
  running=$!
  if ! timeout 600 "$python" "$repository/.ci/ask.py" "http://127.0.0.1:$port" "$running"; then
    echo "It printed:" >&2
    cat "$work/log" >&2
    return 1
  fi
  kill "$running"
  wait "$running" || true
  running=
}
