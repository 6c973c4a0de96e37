if command -v git-merkle; then git-merkle hooks run @EVENT@ "$@"; fi </dev/null >/dev/null 2>&1 || true
