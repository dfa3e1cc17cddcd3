# PowerShell completion for courier, read from the profile.
#
# Reading this file starts nothing. The Tab key asks courier, which answers from this machine alone.
# Nothing here evaluates what the command line or an answer contains.

Register-ArgumentCompleter -Native -CommandName courier -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @()
    $current = -1
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        $start = $element.Extent.StartOffset
        if ($current -lt 0 -and $start -ge $cursorPosition) {
            $current = $words.Count
            $words += ''
        }
        if ($current -lt 0 -and $element.Extent.EndOffset -ge $cursorPosition) {
            $current = $words.Count
            $words += $element.Extent.Text.Substring(0, $cursorPosition - $start).TrimStart([char]34, [char]39)
        }
        elseif ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $words += $element.Value
        }
        else {
            $words += $element.Extent.Text
        }
    }
    if ($current -lt 0) {
        $current = $words.Count
        $words += ''
    }

    # One word without a character that any shell on the way to courier could take for its own.
    $bytes = [System.Text.Encoding]::UTF8.GetBytes($words -join [string][char]0)
    $encoded = [System.Convert]::ToBase64String($bytes)
    $encoding = [System.Console]::OutputEncoding
    try {
        [System.Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $answer = @(& courier __complete powershell $current $encoded 2>$null)
    }
    finally {
        [System.Console]::OutputEncoding = $encoding
    }

    $lines = @($answer | Select-Object -Skip 1)
    if ($lines.Count -eq 0) {
        # Nothing at all makes PowerShell offer file names, an empty text does not.
        if ($answer.Count -gt 0 -and $answer[0] -eq 'files') { return }
        return ''
    }
    foreach ($line in $lines) {
        $text, $shown, $explained = $line.Split([char]9)
        [System.Management.Automation.CompletionResult]::new($text, $shown, 'ParameterValue', $explained)
    }
}
