# Completions of git-merkle for fish, for `git-merkle` and for `git merkle`. It stands in conf.d: fish reads the completions
# of git alone when `git` is completed.

function __git_merkle_complete
  set -l words (commandline -opc)
  if test (basename -- $words[1]) = git
    set -l at (contains -i -- merkle $words)
    or return
    set words $words[$at..-1]
  end
  set -e words[1]
  git-merkle complete-words (math (count $words) + 1) -- git-merkle $words (commandline -ct) 2>/dev/null
end

complete -c git-merkle -f -a '(__git_merkle_complete)'
complete -c git -f -n '__fish_git_using_command merkle' -a '(__git_merkle_complete)'
