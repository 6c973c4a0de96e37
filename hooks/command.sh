{ if [ -x @BINARY@ ]; then @BINARY@ hooks run @EVENT@ "$@"; elif command -v git-merkle; then git-merkle hooks run @EVENT@ "$@"; fi; } </dev/null >/dev/null 2>&1; :
