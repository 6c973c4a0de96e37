# >>> git merkle >>> added by 'git merkle hooks install', taken away by 'git merkle hooks uninstall'
{ # git merkle
  if [ -x @BINARY@ ]; then @BINARY@ hooks run @EVENT@ "$@" || : # git merkle
  else case $(command -v git-merkle) in "$PWD"/*) ;; /*) git-merkle hooks run @EVENT@ "$@" || : ;; esac # git merkle
  fi # git merkle
} </dev/null >/dev/null 2>&1 # git merkle
# <<< git merkle <<<
