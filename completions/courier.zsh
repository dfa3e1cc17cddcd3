#compdef courier
# zsh completion for courier, as a file named _courier in a directory of $fpath, or sourced after compinit.
#
# Reading this file starts nothing. The Tab key asks courier, which answers from this machine alone.
# Nothing here evaluates or expands what the command line or an answer contains.

_courier() {
  local -a answer expl lines matches displays listed
  local line match
  local -i widest=0
  answer=("${(@f)$(
    command courier __complete zsh $((CURRENT - 2)) \
      "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" "${(@Q)words[CURRENT+1,-1]}" 2>/dev/null
  )}")
  # The value of a flag is matched without the flag.
  if [[ $PREFIX == --*=* ]]; then compset -P 1 '*='; fi
  if [[ $answer[1] == files ]]; then
    _files
    return
  fi
  lines=("${(@)answer[2,-1]}")
  for line in "${(@)lines}"; do
    match=${line%%$'\t'*}
    matches+=("$match")
    if (( ${(m)#match} > widest )); then widest=${(m)#match}; fi
    if [[ $line == *$'\t'* ]]; then listed=(-l); fi
  done
  for line in "${(@)lines}"; do
    if [[ $line == *$'\t'* ]]; then
      line="${(mr:widest:)${line%%$'\t'*}}  -- ${line#*$'\t'}"
      displays+=("${(mr:COLUMNS-1:)line}")
    else
      displays+=("$line")
    fi
  done
  _wanted -V values expl value compadd $listed -d displays -a matches
}

if [[ $funcstack[1] == _courier ]]; then
  _courier "$@"
elif (( $+functions[compdef] )); then
  compdef _courier courier
else
  print -u2 'courier: the completion needs compinit first'
fi
