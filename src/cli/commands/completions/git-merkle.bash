# Completions of git-merkle for bash. git's own completion calls _git_merkle for `git merkle`.

# Asks the program: the first argument is the position of the word, the others are the words.
__git_merkle_ask() {
  local index=$1 line
  shift
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    COMPREPLY+=("$line")
  done < <(git-merkle complete-words "$index" -- git-merkle "$@" 2>/dev/null)
  # bash takes what stands behind '=' for a word of its own.
  if [[ $cur == --*=* && $COMP_WORDBREAKS == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}")
  fi
  compopt -o filenames 2>/dev/null
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != *[=/:] ]]; then
    compopt +o nospace 2>/dev/null
  fi
}

_git_merkle() {
  local at=${__git_cmd_idx:-0}
  if ((at == 0)); then
    while ((at < cword)) && [[ ${words[at]} != merkle ]]; do ((at++)); done
  fi
  __git_merkle_ask "$((cword - at))" "${words[@]:at+1}"
}

__git_merkle_alone() {
  local cur=${COMP_WORDS[COMP_CWORD]}
  __git_merkle_ask "$COMP_CWORD" "${COMP_WORDS[@]:1}"
}

complete -o nospace -F __git_merkle_alone git-merkle
