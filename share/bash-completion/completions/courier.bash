# bash completion for courier; bash 4.4 or newer shows candidates in their own order.
#
# Reading this file starts nothing. The Tab key asks courier, which answers from this machine alone.
# Nothing here evaluates or expands what the command line or an answer contains.

_courier() {
  local kind='' line
  COMPREPLY=()
  type -P courier >/dev/null || return # uninstalled: the shell would look for a package that has it
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <(
    command courier __complete bash "$COMP_WORDBREAKS" "$COMP_TYPE" "${COLUMNS:-80}" \
      "${COMP_LINE:0:COMP_POINT}" "${COMP_LINE:COMP_POINT}" 2>/dev/null
  )
  if [[ $kind == files ]]; then compopt -o bashdefault -o default 2>/dev/null; fi
}

complete -o nosort -F _courier courier 2>/dev/null || complete -o default -F _courier courier
