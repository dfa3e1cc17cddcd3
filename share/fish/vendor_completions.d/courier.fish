# fish completion for courier, as ~/.config/fish/completions/courier.fish.
#
# Reading this file starts nothing. The Tab key asks courier, which answers from this machine alone.
# Nothing here evaluates or expands what an answer contains. What stands behind the cursor, fish does not tell.

function __courier_complete
    command -sq courier; or return
    set -l before (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l present (string replace --all --regex '["\'\\\\]' '' -- (commandline -ct))
    set -l answer (command courier __complete fish (math (count $before) - 1) $before[2..-1] "$present" 2>/dev/null)
    set -l prefix (string match --regex -- '^--[^=]*=' "$present")
    if test "$answer[1]" = files
        set -l path (string replace --regex -- '^--[^=]*=' '' "$present")
        for found in (__fish_complete_path "$path")
            printf '%s%s\n' "$prefix" "$found"
        end
    else
        for found in $answer[2..-1]
            printf '%s%s\n' "$prefix" "$found"
        end
    end
end

complete --command courier --erase
complete --command courier --keep-order --no-files --arguments '(__courier_complete)'
