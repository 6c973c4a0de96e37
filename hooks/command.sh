{ if [ -x @BINARY@ ]; then @BINARY@ hooks run @EVENT@ "$@"; else case $(command -v git-merkle) in "$PWD"/*) ;; /*) git-merkle hooks run @EVENT@ "$@" ;; esac; fi; } </dev/null >/dev/null 2>&1; :
